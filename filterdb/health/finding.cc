// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <algorithm>
#include <tuple>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {

void Examined::Add(Check check, const std::string& text) {
  if (has(check)) {
    return;
  }
  const CheckInfo& info = InfoOf(check);
  const Finding added = {check, HarmOf(check, facts), info.action, text,
                         info.remedy};
  const auto place = std::upper_bound(findings.begin(), findings.end(), added,
                                      [](const Finding& a, const Finding& b) {
                                        return std::tuple(b.harm, a.check) <
                                               std::tuple(a.harm, b.check);
                                      });
  findings.insert(place, added);
}

bool Examined::has(Check check) const {
  return std::any_of(
      findings.begin(), findings.end(),
      [check](const Finding& finding) { return finding.check == check; });
}

void Examined::LeaveOut(SstableState state) {
  sstable.state = state;
  findings.clear();
}

Check Examined::verdict() const {
  return findings.empty() ? Check::kOk : findings.front().check;
}

Harms Examined::harms() const {
  Harms harms;
  for (const Finding& finding : findings) {
    harms.Add(finding.harm);
  }
  return harms;
}

Action Examined::action() const {
  Action largest = Action::kNone;
  for (const Finding& finding : findings) {
    largest = std::max(largest, finding.action);
  }
  return largest;
}

std::string Examined::ReasonToLeave() const {
  for (const Finding& finding : findings) {
    if (finding.action == Action::kLeave) {
      const std::string what =
          finding.text.empty() ? NameOf(finding.check) : finding.text;
      return finding.remedy.empty() ? what : what + "; " + finding.remedy;
    }
  }
  return "";
}

std::string Examined::VerdictText() const {
  if (sstable.state != SstableState::kLive) {
    return tools::NameOf(sstable.state);
  }
  std::string text = tools::NameOf(verdict());
  if (verdict() == Check::kKeysMissing) {
    text += " (" + std::to_string(num_missing) + ")";
  }
  return text;
}

double Examined::bits_per_key() const {
  return num_keys == 0 ? 0
                       : static_cast<double>(fill.capacity_bits) /
                             static_cast<double>(num_keys);
}

void Examined::AddLogs() {
  if (sstable.time_is_logged) {
    Add(Check::kTimesLogged,
        "a transaction log of Cassandra (*_txn_*.log) holds the times of its "
        "files, and the node would not start if they changed");
  }
  if (!sstable.unread_log.empty()) {
    Add(Check::kLogUnread,
        sstable.unread_log +
            "; a transaction log may hold the times of the files of this "
            "SSTable, and the node would not start if they changed");
  }
}

void Examined::AddObstacles(const ExamineOptions& options) {
  for (Finding& finding : findings) {
    if (finding.check == Check::kOversized && options.oversized) {
      finding.action = Action::kMend;
    }
  }
  const Action due = action();
  if (due != Action::kCompleteToc && due != Action::kMend) {
    return;
  }
  AddLogs();
  if (due == Action::kMend && !plan) {
    Add(Check::kPlanUnknown, "its planned chance is unknown");
  } else if (due == Action::kMend && *plan >= 1) {
    Add(Check::kNoFilterPlanned,
        "its plan is to have no filter (bloom_filter_fp_chance = 1)");
  } else if (due == Action::kMend && *plan < kMinFpChance) {
    Add(Check::kPlanTooSmall,
        "its planned chance is less than Cassandra can keep");
  }
  const bool changes_digests = (filter_has_digest && due == Action::kMend) ||
                               (toc_has_digest && !toc_names_filter);
  if (changes_digests && !options.rewrite_digests) {
    Add(Check::kDigestsHeld,
        "Scylla.db holds the checksum of its filter or of TOC.txt, and "
        "ScyllaDB would refuse the SSTable");
  }
}

}  // namespace cassandra_bloom::tools
