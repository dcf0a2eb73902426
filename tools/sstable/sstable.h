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

// Whether the file names mark the SSTable as one that is being written. Only
// names before version `ma` have such a mark. `name_prefix`: as in
// ComponentName.
bool IsNameOfUnfinished(std::string_view name_prefix);

enum class SstableState {
  kLive,
  kBeingWritten,
  kObsolete,  // Replaced by others, and about to be removed.
  kVanished,  // Removed, as by a compaction, after it was found.
};

// The name of a state, such as "being written".
const char* NameOf(SstableState state);

struct Sstable {
  // The path of a component of this SSTable.
  std::string Path(const std::string& component) const {
    return folder + "/" + name_prefix + component;
  }
  // The path and the name of the index, which is Index.db or Partitions.db.
  std::string IndexPath() const;
  std::string IndexName() const {
    return IndexPath().substr(folder.size() + 1);
  }

  std::string folder;
  // The absolute path of `folder`, without links at the time it was found.
  std::string real_folder;
  // `folder` relative to the operand in which it was found; empty if it is that
  // operand.
  std::string folder_below;
  std::string name_prefix;  // Start of its file names: "nb-1-big-".
  std::string version;      // "nb"; empty if it cannot be determined.
  SstableState state = SstableState::kLive;
  // Whether a log of Cassandra holds the time of the SSTable's newest file.
  // That time must not change: see TransactionLogs.
  bool time_is_logged = false;
  // Why a log in `folder` cannot be read, or empty. If it is not empty, `state`
  // and `time_is_logged` may be wrong.
  std::string unread_log;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_H_
