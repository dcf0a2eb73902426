// SPDX-License-Identifier: Apache-2.0

// Makes the filter of one SSTable anew, and puts it where the user wants it.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_MEND_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_MEND_FILTER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "tools/sstable/health/finding.h"
#include "tools/sstable/health/pinned_folder.h"

namespace cassandra_bloom::tools {

enum class Backup {
  kBeside,  // Under the name of the filter and ".bak".
  kFolder,  // In another folder.
  kNone,
};

struct BackupPlan {
  Backup kind = Backup::kBeside;
  std::string folder;  // For kFolder: as BackupPath needs it.
};

constexpr char kBackupSuffix[] = ".bak";

// Why the filter cannot be replaced where it is; empty if it can be.
std::string ReasonNotInPlace(const FilterFinding& finding,
                             const PinnedFolder& folder,
                             const BackupPlan& backup);

// Adds Filter.db to TOC.txt, if that is there and does not name it.
bool CompleteToc(const SstableFiles& files, const PinnedFolder& folder,
                 std::string* error);

// A filter with all keys of the SSTable. Returns nullptr, with an error, if
// they cannot be read.
std::unique_ptr<FilterDbBuilder> BuildFilter(const FilterFinding& finding,
                                             double fp_chance,
                                             std::string* error);

// The same, with the keys of the SSTable in the open folder.
std::unique_ptr<FilterDbBuilder> BuildFilterIn(const PinnedFolder& folder,
                                               const FilterFinding& finding,
                                               double fp_chance,
                                               std::string* error);

// Where the filter of an SSTable is kept in the folder of backups: under the
// absolute path of the filter.
bool BackupPath(const SstableFiles& files, const std::string& backup_folder,
                std::string* path, std::string* error);

// Puts the filter in place of the old one, or adds it, and completes TOC.txt.
// Whenever the process is killed, either the whole old or the whole new filter
// is there. Sets `*has_other_links` if the old filter has more names, as in
// snapshots.
bool ReplaceFilter(const FilterFinding& finding, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, const BackupPlan& backup,
                   bool* has_other_links, std::string* error);

// Whether an old filter was kept.
bool HasBackup(const SstableFiles& files, const BackupPlan& backup);

// Puts the old filter back, and removes the backup.
bool UndoFilter(const SstableFiles& files, const BackupPlan& backup,
                std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_MEND_FILTER_H_
