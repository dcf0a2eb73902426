// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/decide_mend.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>

#include "filterdb/sstable/toc.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

MendDecision Leave(const std::string& reason) {
  return {MendDecision::kLeave, 0, reason};
}

std::string Text(double chance) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", chance);
  return text;
}

bool HasOtherFaultsThan(const FilterFinding& finding,
                        std::initializer_list<FilterVerdict> these) {
  return std::any_of(finding.verdicts.begin(), finding.verdicts.end(),
                     [&](FilterVerdict verdict) {
                       return IsFault(verdict) &&
                              std::find(these.begin(), these.end(), verdict) ==
                                  these.end();
                     });
}

bool WouldStayWorseThanPlanned(const FilterFinding& finding, double fp_chance) {
  if (HasOtherFaultsThan(finding, {FilterVerdict::kSaturated,
                                   FilterVerdict::kWorseThanPlanned})) {
    return false;
  }
  const auto sizing = SizingForFpChance(fp_chance);
  return sizing && finding.exceeds_plan(sizing->ExpectedRate(
                       finding.num_keys, sizing->FilterSize(finding.num_keys)));
}

// Returns whether the filter has a fault that only a new filter removes.
bool HasFaultOfFilter(const FilterFinding& finding) {
  return finding.digests.filter ||
         HasOtherFaultsThan(
             finding,
             {FilterVerdict::kNotLoaded, FilterVerdict::kTocDamaged,
              FilterVerdict::kDigestDiffers, FilterVerdict::kScyllaDbDamaged});
}

bool WouldStayOversized(const FilterFinding& finding, double fp_chance) {
  const auto sizing = SizingForFpChance(fp_chance);
  return !HasFaultOfFilter(finding) && sizing &&
         finding.is_oversized(sizing->FilterSize(finding.num_keys));
}

// Returns the decision for an SSTable that needs no new filter.
MendDecision DecideWithoutFilter(const FilterFinding& finding) {
  if (finding.has(FilterVerdict::kTocDamaged)) {
    return Leave(std::string("its TOC.txt ") + kTocIsDamaged);
  }
  if (finding.digests.toc) {
    return Leave(std::string("its TOC.txt ") + kTocIsOther);
  }
  if (finding.has(FilterVerdict::kScyllaDbDamaged)) {
    return Leave("its Scylla.db is damaged or has an unknown layout");
  }
  return {MendDecision::kCompleteToc, 0, ""};
}

MendDecision DecideWithChance(const FilterFinding& finding, double fp_chance) {
  if (WouldStayWorseThanPlanned(finding, fp_chance)) {
    return Leave("with --fp-chance=" + Text(fp_chance) +
                 " it would still be worse than planned (" +
                 Text(*finding.plan) + "); leave that option out");
  }
  if (WouldStayOversized(finding, fp_chance)) {
    return Leave("with --fp-chance=" + Text(fp_chance) +
                 " it would still be oversized for its plan (" +
                 Text(*finding.plan) + "); leave that option out");
  }
  return {MendDecision::kMakeAnew, fp_chance, ""};
}

MendDecision DecideByPlan(const FilterFinding& finding) {
  if (!finding.plan) {
    return Leave("its planned chance is unknown; give --fp-chance");
  }
  if (*finding.plan >= 1) {
    return Leave(
        "its plan is to have no filter (bloom_filter_fp_chance = 1); give "
        "--fp-chance");
  }
  if (*finding.plan < kMinFpChance) {
    return Leave(
        "its planned chance is less than Cassandra can keep; give --fp-chance");
  }
  return {MendDecision::kMakeAnew, *finding.plan, ""};
}

}  // namespace

std::string ReasonNotToTouch(const Sstable& sstable) {
  if (sstable.time_is_logged) {
    return "a transaction log of Cassandra (*_txn_*.log) holds the times of "
           "its files, and the node would not start if they changed; start "
           "the node once, then mend";
  }
  if (!sstable.unread_log.empty()) {
    return sstable.unread_log +
           "; a transaction log may hold the times of the files of this "
           "SSTable, and the node would not start if they changed; look into "
           "that log first";
  }
  return "";
}

MendDecision DecideMend(const FilterFinding& finding,
                        const MendOptions& options) {
  const bool needs_filter =
      HasFaultOfFilter(finding) ||
      (options.oversized && finding.has(FilterVerdict::kOversized));
  if (finding.sstable.state != SstableState::kLive ||
      (!needs_filter && !finding.is_fault() &&
       !finding.has(FilterVerdict::kNotInToc))) {
    return {};
  }
  const std::string reason = ReasonNotToTouch(finding.sstable);
  if (!reason.empty()) {
    return Leave(reason);
  }
  if (!needs_filter) {
    return DecideWithoutFilter(finding);
  }
  if (!finding.has_keys) {
    // ExamineSstable adds the error about the keys last.
    return Leave("its keys cannot be read" +
                 (finding.errors.empty() ? "" : ": " + finding.errors.back()));
  }
  if (finding.num_wrong_hashes > 0) {
    return Leave("its index is damaged; let the database scrub it");
  }
  return options.fp_chance ? DecideWithChance(finding, *options.fp_chance)
                           : DecideByPlan(finding);
}

}  // namespace cassandra_bloom::tools
