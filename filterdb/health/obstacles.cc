// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/obstacles.h"

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

void SetAction(Check check, Action action, Examined* sstable) {
  for (Finding& finding : sstable->findings) {
    finding.action = finding.check == check ? action : finding.action;
  }
}

void AddPlan(Examined* sstable) {
  if (!sstable->plan) {
    sstable->Add(Check::kPlanUnknown, "its planned chance is unknown");
  } else if (*sstable->plan >= 1) {
    sstable->Add(Check::kNoFilterPlanned,
                 "its plan is to have no filter (bloom_filter_fp_chance = 1)");
  } else if (*sstable->plan < kMinFpChance) {
    sstable->Add(Check::kPlanTooSmall,
                 "its planned chance is less than Cassandra can keep");
  }
}

}  // namespace

// Times of files in a transaction log matter even with --out-dir, because a
// filter from there is put in place later.
void AddLogs(Examined* sstable) {
  if (sstable->sstable.time_is_logged) {
    sstable->Add(Check::kTimesLogged,
                 "a transaction log of Cassandra (*_txn_*.log) holds the times "
                 "of its files, and the node would not start if they changed");
  }
  if (!sstable->sstable.unread_log.empty()) {
    sstable->Add(
        Check::kLogUnread,
        sstable->sstable.unread_log +
            "; a transaction log may hold the times of the files of this "
            "SSTable, and the node would not start if they changed");
  }
}

void AddObstacles(const ExamineOptions& options, Examined* sstable) {
  if (options.oversized) {
    SetAction(Check::kOversized, Action::kMend, sstable);
  }
  if (options.to_out_dir) {
    SetAction(Check::kNotInToc, Action::kNone, sstable);
  }
  const Action action = sstable->action();
  if (action != Action::kCompleteToc && action != Action::kMend) {
    return;
  }
  AddLogs(sstable);
  if (action == Action::kMend) {
    AddPlan(sstable);
  } else if (options.to_out_dir) {
    sstable->Add(Check::kTocOnly, "only its TOC.txt is not complete");
  }
  const bool changes_digests =
      (sstable->filter_has_digest && action == Action::kMend) ||
      (sstable->toc_has_digest && !sstable->toc_names_filter);
  if (changes_digests && !options.rewrite_digests && !options.to_out_dir) {
    sstable->Add(Check::kDigestsHeld,
                 "Scylla.db holds the checksum of its filter or of TOC.txt, "
                 "and ScyllaDB would refuse the SSTable");
  }
}

}  // namespace cassandra_bloom::tools
