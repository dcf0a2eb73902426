// SPDX-License-Identifier: Apache-2.0

// Mends SSTables, or undoes their mending, one after another, and returns what
// was done about each.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MENDER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MENDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sstable/health/decide_mend.h"
#include "tools/sstable/health/finding.h"
#include "tools/sstable/health/open_files.h"
#include "tools/sstable/mending/kept_filter.h"
#include "tools/sstable/mending/mend_filter.h"
#include "tools/sstable/mending/mend_outcome.h"

namespace cassandra_bloom::tools {

struct MendPlan {
  MendOptions options;
  std::string out_dir;  // Empty: the filters go where the old ones are.
  BackupPlan backup;
  // Change the digests in Scylla.db, too. Without it, an SSTable that has them
  // is left.
  bool rewrite_digests = false;
  bool dry_run = false;
  // Change SSTables even if a process that may use them cannot be examined.
  bool ignore_unseen_processes = false;
};

class Mender {
 public:
  // `on_keys_added` is also called with 0: before each SSTable, and after each
  // piece of a large file that is copied or summed.
  Mender(MendPlan plan, OnKeysAdded on_keys_added);

  // Removes temporary files that killed runs have left beside these SSTables,
  // and in the folders for their old filters. Call this first, even if there is
  // nothing to mend: ScyllaDB does not start if such a file outlives its
  // SSTable.
  void RemoveLeftOvers(const std::vector<Sstable>& sstables) const;

  // The number of keys that Mend will add to new filters.
  uint64_t KeysToAdd(const std::vector<FilterFinding>& findings) const;

  // Returns nothing if there is nothing to do. Throws nothing: an exception
  // becomes the outcome of this SSTable. `finding` must outlive the outcome.
  std::optional<MendOutcome> Mend(const FilterFinding& finding);
  std::optional<MendOutcome> Undo(const Sstable& sstable);

  // Whether an old filter that was replaced has other hard links, as in
  // snapshots.
  bool has_other_links() const { return has_other_links_; }
  // Whether any call of Undo has found a folder for kept filters, even an empty
  // one.
  bool has_kept_folder() const { return has_kept_folder_; }

 private:
  // These set the outcome, or throw a MendEnd or a FileError.
  void MendInPlace(const FilterFinding& finding, const MendDecision& decision);
  void WriteToOutDir(const FilterFinding& finding,
                     const MendDecision& decision);
  // Returns whether there is an outcome.
  bool UndoInPlace(const Sstable& sstable);
  void Guard(const std::function<void()>& work);
  void StopIfWanted() const;

  // Why no file of the SSTable may be changed now; empty if it may. Used by
  // mending, dry runs and undoing.
  std::string ReasonNotToChange(const Sstable& sstable) const;
  void CheckOutput(const std::string& folder, const Sstable& sstable);

  const MendPlan plan_;
  const OnKeysAdded on_keys_added_;
  const OpenFiles open_files_;
  // For each file that was or would be written to --out-dir: the path of the
  // filter that it is to replace.
  std::map<std::string, std::string> outputs_;
  MendOutcome outcome_;
  bool has_other_links_ = false;
  bool has_kept_folder_ = false;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MENDER_H_
