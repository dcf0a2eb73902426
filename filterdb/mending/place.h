// SPDX-License-Identifier: Apache-2.0

// The files of one SSTable that a mend changes: Filter.db, TOC.txt, Scylla.db.
//
// TOC.txt must name Filter.db, because ScyllaDB loads only what TOC.txt names.
// Newer versions of ScyllaDB store the CRC-32 values of Filter.db and TOC.txt
// in Scylla.db, as digests, and refuse an SSTable if one differs.
//
// All new files are on disk under temporary names before the first gets its
// name. First comes Scylla.db, then Filter.db, then TOC.txt. After a kill
// between two of these steps, each file is either the old or the new one, and a
// digest may differ. The next install, or its undo, makes that right.
//
// Damage of TOC.txt or Scylla.db is never hidden by a new digest. Such an
// SSTable is left.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_PLACE_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_PLACE_H_

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/mending/run_folder.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

inline constexpr char kFilterDb[] = "Filter.db";

// What is to be changed. In Scylla.db, TOC.txt always gets the digest of the
// TOC.txt that will be there.
struct Change {
  // The CRC-32 that Filter.db is to have, also in Scylla.db. Nothing if both
  // stay as they are.
  std::optional<uint32_t> filter_crc;
  std::string filter;  // The file to copy, or "" to keep the present one.
  bool completes_toc = false;  // Add Filter.db to a TOC.txt that lacks it.
};

// Functions throw an End or, if they fail, a std::runtime_error.
class Place {
 public:
  // Reads the files once. Fails if this user may not change files of the
  // SSTable.
  explicit Place(const Sstable& sstable);
  // Removes temporary files that got no names.
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const Sstable& sstable() const { return sstable_; }
  const FileStamp& index_stamp() const { return stamps_[kIndex]; }
  uint32_t index_crc() const { return found_[kIndex].crc.value_or(0); }
  // Nothing if there is no Filter.db.
  std::optional<uint32_t> filter_crc() const { return found_[kFilter].crc; }

  // Returns whether any file differs from what it is to be.
  bool Plan(const Change& change);

  // Writes what differs under temporary names that end in `suffix`. The caller
  // then syncs the file system, and calls GiveNames.
  void WriteTemporary(const std::string& suffix);

  // Fails if a file of the SSTable is another one than when this object was
  // made.
  void CheckUnchanged() const;

  // If the SSTable is removed meanwhile, fails, and leaves none of the new
  // files. The caller then syncs the folder.
  void GiveNames();

 private:
  // In the order of StampsOf.
  enum Part { kData, kIndex, kFilter, kToc, kScylla, kNumParts };

  // What was found of a file that is there.
  struct Found {
    mode_t mode = 0;
    gid_t group = 0;
    std::optional<uint32_t> crc;  // Not of Data.db.
  };

  struct NewFile {
    Part part;
    std::string bytes;  // Of Filter.db, they are those of Change::filter.
    std::string temporary = "";  // Its path, while it has a temporary name.
  };

  void CheckIsOwner();
  void CheckIsRegular(Part part, mode_t mode) const;
  std::string Read(Part part, uint64_t max_kept);
  void ParseScyllaDb(const std::string& content);
  void Write(NewFile* file, const std::string& temporary);

  const Sstable sstable_;
  const std::array<std::string, kNumParts> paths_;
  const std::vector<FileStamp> stamps_;  // From before the files were read.
  std::array<Found, kNumParts> found_;
  std::string toc_;  // The content of TOC.txt, or "" if there is none.
  std::optional<ScyllaDb> scylla_;  // Empty if there is no Scylla.db.
  Change change_;
  std::vector<NewFile> planned_;  // In the order in which they get their names.
};

// Returns what an install or its undo is to change, judged by the content of
// the present filter: it is the wanted one, the one to be replaced, or foreign.
// With the wanted one, at most a digest differs: a kill came before or after
// the filter got its name.
Change ChangeOf(const RunFolder& run, const RunLine& line, bool undo,
                const Place& place);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_PLACE_H_
