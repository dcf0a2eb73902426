// SPDX-License-Identifier: Apache-2.0

// An SSTable of Cassandra or ScyllaDB: the names of its files, and its state.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_H_

#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

// The name of a component of an SSTable, in two parts.
struct ComponentName {
  std::string name_prefix;  // "nb-1-big-"
  std::string component;    // "Filter.db"
};

// Returns nothing if `name`, without folders, is not that of a component of an
// SSTable.
std::optional<ComponentName> ParseComponentName(std::string_view name);

// Whether the name says that the SSTable is being written, as before version
// `ma`. `name_prefix`: as in ComponentName.
bool IsNameOfUnfinished(std::string_view name_prefix);

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

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_H_
