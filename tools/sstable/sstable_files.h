// SPDX-License-Identifier: Apache-2.0

// Finds the SSTables of a data directory of Cassandra or ScyllaDB.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_FILES_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

// The name of a component of an SSTable, in two parts.
struct ComponentName {
  std::string name_prefix;  // "nb-1-big-"
  std::string component;    // "Filter.db"
};

// Returns nothing if `name`, without folders, is not that of a component of an
// SSTable.
std::optional<ComponentName> ParseComponentName(std::string_view name);

enum class SstableState {
  kLive,
  kBeingWritten,
  kObsolete,  // Replaced by others, and about to be removed.
  kVanished,  // Removed, as by a compaction, after it was found.
};

// Such as "being written".
const char* NameOf(SstableState state);

struct Sstable {
  // The path of a component.
  std::string Path(const std::string& component) const {
    return folder + "/" + name_prefix + component;
  }
  // Index.db or Partitions.db, with the folder and without it.
  std::string IndexPath() const;
  std::string IndexName() const {
    return IndexPath().substr(folder.size() + 1);
  }

  std::string folder;
  // Its absolute path; no links are in it, unless somebody has put them there
  // since it was found.
  std::string real_folder;
  // The path of the folder below the operand in which it was found; empty for
  // that operand itself.
  std::string folder_below;
  std::string name_prefix;  // Of its files: "nb-1-big-".
  std::string version;      // "nb"; empty if it cannot be determined.
  SstableState state = SstableState::kLive;
  // A log of Cassandra holds the time of its newest file, which must not
  // change: see TransactionLogs.
  bool time_is_logged = false;
  // Why a log in its folder cannot be read; empty if all can. Then `state` may
  // be wrong, and the time may be logged.
  std::string unread_log;
};

struct FindOptions {
  bool snapshots = false;  // Look into a table's folder "snapshots", too.
  bool backups = false;    // Look into a table's folder "backups", too.
};

// A symbolic link to a folder.
struct FolderLink {
  std::string path;
  std::string target;  // Its absolute path, without links.
};

struct FoundSstables {
  // In the order of the operands, then of folders, then of names; what links
  // lead to comes last.
  std::vector<Sstable> sstables;
  std::vector<FolderLink> links;  // Those that were followed.
  // By name, how many folders were not looked into, although nothing is wrong
  // with them: snapshots and backups that are not empty, and file systems of
  // the kernel, such as /proc.
  std::map<std::string, uint64_t> left_out;
  // What could not be read, and operands without an SSTable.
  std::vector<std::string> errors;
};

// `operands`: folders, which are searched with all folders in them, or files,
// which stand for the SSTables that they belong to. Each SSTable is found once.
// Links to folders are followed as docs/filterdb.md says.
FoundSstables FindSstables(const std::vector<std::string>& operands,
                           const FindOptions& options);

bool FileExists(const std::string& path);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_FILES_H_
