// SPDX-License-Identifier: Apache-2.0

// What filterdb can find out about the filter of an SSTable, what harm that
// does, and what `filterdb mend` does about it.
//
// The table in harm.cc is the only place that says so. Sums, texts, JSON,
// metrics, tables to repair and exit statuses are computed from it.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_HARM_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_HARM_H_

#include <cstdint>

namespace cassandra_bloom::tools {

// From the least to the worst.
enum class Harm : uint8_t {
  kNone,
  kNotKnown,      // Not known here, not read or not confirmed.
  kWastesMemory,  // More memory than planned.
  kWastesReads,   // Reads of the disk in vain.
  kDamaged,       // The SSTable is damaged; a filter does not help.
  kHidesRows,     // Reads do not find rows.
  kRefused,       // The node does not start, or does not load the SSTable.
};

// Such as "hides rows".
const char* NameOf(Harm harm);

// A set of harms.
class Harms {
 public:
  void Add(Harm harm) { bits_ |= 1U << static_cast<unsigned>(harm); }
  void Add(Harms harms) { bits_ |= harms.bits_; }
  bool has(Harm harm) const {
    return (bits_ & 1U << static_cast<unsigned>(harm)) != 0;
  }
  // As a number, for a file.
  unsigned bits() const { return bits_; }
  static Harms OfBits(unsigned bits) {
    Harms harms;
    harms.bits_ = bits;
    return harms;
  }
  // kNone if the set is empty.
  Harm worst() const;
  // 2 if rows or SSTables are lost to the node, or else 3 if something is not
  // known, or else 1 if something is wasted, or else 0.
  int exit_status() const;

 private:
  unsigned bits_ = 0;
};

// Who reads the SSTable, by its version and its files.
enum class Reader { kCassandraBeforeNa, kCassandraFromNa, kScylla };

// What `filterdb mend` does. From the weakest to the strongest.
enum class Action {
  kNone,
  kMend,   // Build a new filter, and add the line Filter.db to TOC.txt.
  kLeave,  // Change nothing, because somebody must do something first.
};

// In the order of the table in harm.cc.
enum class Check {
  // ---- The filter ----
  kKeysMissing,       // It denies keys of the SSTable.
  kOtherForm,         // It has them all in the form of another version.
  kTooLong,           // It has more bytes than its header says.
  kTruncated,         // It ends early, behind the header.
  kHeaderCut,         // It ends within the header.
  kEmpty,             // 0 bytes.
  kFilterUnreadable,  // It cannot be read, or its header makes no sense.
  kNoProbes,          // A header with less than one probe.
  kMissing,           // No filter, although one is planned.
  kMissingInToc,      // No filter, although TOC.txt names it.
  kSaturated,         // Too full to be of use.
  kWorseThanPlanned,
  kOversized,
  kNotInToc,  // TOC.txt does not name Filter.db.
  // ---- The rest of the SSTable ----
  kDigestDiffers,     // Filter.db has another CRC-32 than Scylla.db says.
  kTocDigestDiffers,  // The same of TOC.txt.
  kTocUnfinished,     // A killed install has changed Scylla.db, not TOC.txt.
  kScyllaDbDamaged,   // Scylla.db cannot be read, or has another CRC-32.
  kTocMissing,        // An SSTable of ScyllaDB has no TOC.txt.
  kTocDamaged,        // TOC.txt does not name Data.db.
  kKeysUnreadable,    // The keys cannot be read, or are not those of Data.db.
  kWrongIndexHashes,  // Hash bytes in Partitions.db do not fit the keys.
  kDataMissing,       // Removed by a node that was stopped then, or lost.
  kLeftOver,          // Neither Data.db nor an index.
  // ---- What is not known here ----
  kNotSupported,  // The version, or a kind of file, is not known here.
  kNotRead,       // For want of memory or file descriptors.
  kNotAsked,      // The filter is far larger than its keys can be.
  kNotConfirmed,  // Nothing tells how many keys there are.
  kNameDoubted,   // The files may be of another version than their names.
  // ---- What stands in the way of a mend. Only added where one is due. ----
  kTimesLogged,      // A transaction log holds the times of the files.
  kLogUnread,        // A transaction log, which may do so, cannot be read.
  kPlanUnknown,      // It is not known for which chance to build.
  kNoFilterPlanned,  // Cassandra has no filter for the planned chance.
  kDigestsHeld,      // Scylla.db must change, but --rewrite-digests is missing.
  // ---- No finding ----
  kOk,
};

struct CheckInfo {
  Check check;
  const char* name;
  Harm harms[3];  // By Reader.
  Action action;
  const char* remedy;  // What to do, or "" where a mend is enough.
};

const CheckInfo& InfoOf(Check check);
inline const char* NameOf(Check check) { return InfoOf(check).name; }
inline Harm HarmOf(Check check, Reader reader) {
  return InfoOf(check).harms[static_cast<int>(reader)];
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_HARM_H_
