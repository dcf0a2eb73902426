// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

// A filter is worse than planned if its false positive rate is more than this
// many times the planned rate. It is oversized if its size is more than this
// many times the planned size.
constexpr double kPlanTolerance = 2;

}  // namespace

void Examined::Add(Check check, const std::string& text, const char* remedy) {
  if (has(check)) {
    return;
  }
  const CheckInfo& info = InfoOf(check);
  const Harm harm = HarmOf(check, reader);
  // A filter that does no harm is not rebuilt.
  const bool is_mend_needless =
      info.action == Action::kMend && harm == Harm::kNone;
  const Finding added = {check, harm,
                         is_mend_needless ? Action::kNone : info.action, text,
                         remedy == nullptr ? info.remedy : remedy};
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
  Examined left_out;
  left_out.sstable = std::move(sstable);
  left_out.sstable.state = state;
  *this = std::move(left_out);
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

// If bloom_filter_fp_chance is 0.393 or more, even a filter that Cassandra
// sizes lets about 75 % of absent keys pass. So a rate is compared with the
// rate of the planned size if that is higher than the plan.
void Examined::ComparePlan() {
  if (!plan) {
    return;
  }
  const auto sizing = SizingForFpChance(*plan);
  if (!sizing) {
    return;
  }
  planned_size = sizing->FilterSize(num_keys);
  planned_rate = sizing->ExpectedRate(num_keys, planned_size);
  if (fill.num_probes == 0) {  // There is no filter to compare.
    return;
  }
  if (fill.rate() > kPlanTolerance * std::max(*plan, planned_rate)) {
    Add(Check::kWorseThanPlanned);
  }
  // Cassandra may size a filter for this many keys even if the SSTable has
  // fewer (expectedBloomFilterSize in CompactionManager and Scrubber).
  // Before 2.1, a compaction expects at least 256 keys in each SSTable that it
  // merges (SSTableReader.getApproximateKeyCount), of which there are up to 32.
  // Those versions are ia to ic, ja and jb.
  const bool is_before_21 = sstable.version.find_first_of("ij") == 0;
  const uint64_t fewest_keys_planned = is_before_21 ? 8192 : 128;
  const auto largest_planned_size = static_cast<double>(
      sizing->FilterSize(std::max(num_keys, fewest_keys_planned)));
  if (static_cast<double>(filter_size) >
      kPlanTolerance * largest_planned_size) {
    Add(Check::kOversized);
  }
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
  if (action() != Action::kMend) {
    return;
  }
  AddLogs();
  if (!plan) {
    Add(Check::kPlanUnknown);
  } else if (*plan >= 1 || *plan < kMinFpChance) {
    Add(Check::kNoFilterPlanned);
  }
  if (digests_change && !options.rewrite_digests) {
    Add(Check::kDigestsHeld,
        "Scylla.db holds the checksum of its filter or of TOC.txt, and "
        "ScyllaDB would refuse the SSTable");
  }
}

}  // namespace cassandra_bloom::tools
