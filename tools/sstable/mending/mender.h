// SPDX-License-Identifier: Apache-2.0

// Mends SSTables, or undoes mending, one after another, and says what was done
// about each.

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
  bool dry_run = false;
  // Change SSTables even if a process that may use them cannot be examined.
  bool ignore_unseen_processes = false;
};

class Mender {
 public:
  // `on_keys_added` is also called before each SSTable, and again and again
  // while a large file is copied or summed, with 0.
  Mender(MendPlan plan, OnKeysAdded on_keys_added);

  // Removes temporary files that killed runs have left beside these SSTables,
  // and where their old filters are kept. Call this first, also where there is
  // nothing to mend: ScyllaDB does not start if such a file outlives its
  // SSTable.
  void RemoveLeftOvers(const std::vector<Sstable>& sstables) const;

  // The number of keys that Mend will add to new filters.
  uint64_t KeysToAdd(const std::vector<FilterFinding>& findings) const;

  // Returns nothing if there is nothing to do. Throws nothing: an exception is
  // the outcome of this SSTable. `finding` must outlive the outcome.
  std::optional<MendOutcome> Mend(const FilterFinding& finding);
  std::optional<MendOutcome> Undo(const Sstable& sstable);

  // Whether an old filter is linked from elsewhere, as from snapshots.
  bool has_other_links() const { return has_other_links_; }
  // Whether an SSTable that was undone has a folder of kept filters, even if it
  // is empty.
  bool has_kept_folder() const { return has_kept_folder_; }

 private:
  // These set the outcome, or throw a MendEnd.
  void MendInPlace(const FilterFinding& finding, const MendDecision& decision);
  void WriteToOutDir(const FilterFinding& finding,
                     const MendDecision& decision);
  // Returns whether there is an outcome.
  bool UndoInPlace(const Sstable& sstable);
  void Guard(const std::function<void()>& work);
  void StopIfWanted() const;

  // Why no file of the SSTable may be changed now, or "". Mending, dry runs and
  // undoing ask this.
  std::string ReasonNotToChange(const Sstable& sstable) const;
  void CheckOutput(const std::string& folder, const Sstable& sstable);

  const MendPlan plan_;
  const OnKeysAdded on_keys_added_;
  const OpenFiles open_files_;
  // The files of --out-dir, and the filters that they stand for.
  std::map<std::string, std::string> outputs_;
  MendOutcome outcome_;
  bool has_other_links_ = false;
  bool has_kept_folder_ = false;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MENDER_H_
