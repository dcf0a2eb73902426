// SPDX-License-Identifier: Apache-2.0

// Mends SSTables, or undoes their mending, one after another.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/decide_mend.h"
#include "filterdb/health/finding.h"
#include "filterdb/health/open_files.h"
#include "filterdb/mending/kept_filter.h"
#include "filterdb/mending/mend_filter.h"
#include "filterdb/mending/mend_outcome.h"

namespace cassandra_bloom::tools {

struct MendPlan {
  MendOptions options;
  std::string out_dir;  // If empty, new filters replace the old ones.
  BackupPlan backup;
  // Whether SSTables with digests in Scylla.db may be changed.
  bool rewrite_digests = false;
  bool dry_run = false;
  // Whether to change SSTables even if a process that may use them cannot be
  // examined.
  bool ignore_unseen_processes = false;
};

class Mender {
 public:
  // `on_keys_added` is also called with 0, so that it can stop the work. This
  // happens before each SSTable, and after each 1 MiB of a file that is copied
  // or checksummed.
  Mender(MendPlan plan, OnKeysAdded on_keys_added);

  // Removes temporary files that killed runs have left. Call this before Mend
  // and Undo, even if there is nothing to mend. The reason is that ScyllaDB
  // does not start if such a file is still there after its SSTable was removed.
  void RemoveLeftOvers(const std::vector<Sstable>& sstables) const;

  uint64_t KeysToAdd(const std::vector<FilterFinding>& findings) const;

  // Mend and Undo return nothing if there is nothing to do. They throw nothing.
  // `finding` must outlive the outcome.
  std::optional<MendOutcome> Mend(const FilterFinding& finding);
  std::optional<MendOutcome> Undo(const Sstable& sstable);

  // Whether a replaced filter has other hard links, for example in snapshots.
  bool has_other_links() const { return has_other_links_; }
  // Whether any call of Undo has found a folder for backups, even an empty one.
  bool has_kept_folder() const { return has_kept_folder_; }

 private:
  // The three functions below set the outcome, or throw a MendEnd or a
  // FileError.
  void MendInPlace(const FilterFinding& finding, const MendDecision& decision);
  void WriteToOutDir(const FilterFinding& finding,
                     const MendDecision& decision);
  // Returns whether there is an outcome.
  bool UndoInPlace(const Sstable& sstable);
  void Guard(const std::function<void()>& work);
  void StopIfWanted() const;

  // Returns why no file of the SSTable may be changed now, or "" if they may.
  std::string ReasonNotToChange(const Sstable& sstable) const;
  void CheckOutput(const std::string& folder, const Sstable& sstable);

  const MendPlan plan_;
  const OnKeysAdded on_keys_added_;
  const OpenFiles open_files_;
  // The key is a file that was or would be written to --out-dir. The value is
  // the path of the filter that the file replaces.
  std::map<std::string, std::string> outputs_;
  MendOutcome outcome_;
  bool has_other_links_ = false;
  bool has_kept_folder_ = false;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_
