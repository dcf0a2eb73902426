// SPDX-License-Identifier: Apache-2.0

// An SSTable of Cassandra or ScyllaDB: the names of its files, its state, and
// who may read it.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

struct ComponentName {
  std::string name_prefix;  // Such as "nb-1-big-".
  std::string component;    // Such as "Filter.db".
};

// Returns nothing if `name` is not the file name of a component.
std::optional<ComponentName> ParseComponentName(std::string_view name);

// Returns a number with one bit for a component of an SSTable. Those of
// secondary indexes have none of their own. ComponentsOf is the reverse.
uint32_t ComponentBit(std::string_view component);
std::vector<std::string> ComponentsOf(uint32_t bits);

// Returns whether the file names mark the SSTable as being written. Only names
// before version `ma` have such a mark.
bool IsNameOfUnfinished(std::string_view name_prefix);

// An SSTable has at least one of these files. Files with a common name prefix
// are ignored if none of these files is among them, because they may be left
// over from a removed SSTable.
inline constexpr const char* kMainComponents[] = {
    "Data.db", "Index.db", "Partitions.db", "Filter.db", "TOC.txt"};

enum class SstableState {
  kLive,
  kBeingWritten,
  kObsolete,  // Replaced by other SSTables, and soon removed.
  kVanished,  // Removed after it was found, as by a compaction.
};

const char* NameOf(SstableState state);

struct Sstable {
  Sstable() = default;
  // A live SSTable of these names. Reads no file.
  Sstable(const std::string& in_folder, const std::string& prefix);

  std::string Path(const std::string& component) const {
    return folder + "/" + name_prefix + component;
  }
  // The path of the index, which is Index.db or Partitions.db.
  std::string IndexPath() const;
  // Whether a node of ScyllaDB is writing or removing it.
  bool HasTemporaryToc() const;

  std::string folder;
  std::string name_prefix;  // Such as "nb-1-big-".
  std::string version;      // Such as "nb". Empty if no name tells one.
  SstableState state = SstableState::kLive;
  // False in a table's folders upload, snapshots and backups, which a node does
  // not read. (It does read ScyllaDB's staging and quarantine.)
  bool is_in_use = true;
  // Whether a transaction log of Cassandra holds the time of the SSTable's
  // newest file. Cassandra does not start if that time changes.
  bool time_is_logged = false;
  // Why a log in `folder` cannot be read, or "". If it cannot be read, `state`
  // and `time_is_logged` may be wrong.
  std::string unread_log;
};

// Returns the name of the user, or its number.
std::string NameOfUser(uid_t user);

// Returns the beginning of a line that runs filterdb as this user, who may have
// no name here: "setpriv --reuid=… … filterdb".
std::string FilterdbAs(uid_t user, gid_t group);

// Returns "belongs to cassandra; run: setpriv … filterdb …".
std::string BelongsTo(uid_t user, gid_t group);

// Returns what to do about a folder, or a file of an SSTable, that this user
// may not read.
std::string HowToRead(const std::string& path);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_H_
