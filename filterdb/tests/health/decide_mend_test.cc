// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/decide_mend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filterdb/health/totals.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using tools::DecideMend;
using tools::FilterFinding;
using tools::FilterVerdict;
using tools::MendDecision;
using tools::SstableState;

// Returns the finding for an SSTable of 1,000 keys.
FilterFinding Finding(FilterVerdict verdict, double plan = 0.01) {
  FilterFinding finding;
  finding.verdicts = {verdict};
  finding.has_filter_file = true;
  finding.filter_size = 100;
  finding.has_keys = true;
  finding.num_keys = 1000;
  finding.plan = plan;
  if (const auto sizing = SizingForFpChance(plan)) {
    finding.planned_size = sizing->FilterSize(1000);
    finding.planned_rate = sizing->ExpectedRate(1000, finding.planned_size);
  }
  return finding;
}

TEST(DecideMendTest, FaultsAreMadeAnewByThePlan) {
  for (const FilterVerdict verdict :
       {FilterVerdict::kKeysMissing, FilterVerdict::kTruncated,
        FilterVerdict::kEmpty, FilterVerdict::kMissing,
        FilterVerdict::kSaturated, FilterVerdict::kWorseThanPlanned}) {
    const MendDecision decision = DecideMend(Finding(verdict), {});
    EXPECT_EQ(decision.kind, MendDecision::kMakeAnew) << NameOf(verdict);
    EXPECT_EQ(decision.fp_chance, 0.01);
  }
  EXPECT_EQ(DecideMend(Finding(FilterVerdict::kKeysMissing), {0.1}).fp_chance,
            0.1);
}

TEST(DecideMendTest, WhatIsNoFaultNeedsNothing) {
  for (const FilterVerdict verdict :
       {FilterVerdict::kOk, FilterVerdict::kOversized}) {
    EXPECT_EQ(DecideMend(Finding(verdict), {0.1}).kind, MendDecision::kNothing);
  }
  for (const SstableState state :
       {SstableState::kBeingWritten, SstableState::kObsolete,
        SstableState::kVanished}) {
    FilterFinding finding = Finding(FilterVerdict::kKeysMissing);
    finding.sstable.state = state;
    EXPECT_EQ(DecideMend(finding, {}).kind, MendDecision::kNothing);
    finding.verdicts.clear();
    EXPECT_EQ(DecideMend(finding, {}).kind, MendDecision::kNothing);
  }
}

TEST(DecideMendTest, WhatOnlyTocLacksNeedsNoNewFilter) {
  for (const FilterVerdict verdict :
       {FilterVerdict::kNotInToc, FilterVerdict::kNotLoaded}) {
    EXPECT_EQ(DecideMend(Finding(verdict), {}).kind,
              MendDecision::kCompleteToc);
    FilterFinding finding = Finding(FilterVerdict::kSaturated);
    finding.verdicts.push_back(verdict);
    EXPECT_EQ(DecideMend(finding, {}).kind, MendDecision::kMakeAnew);
  }
}

// If only TOC.txt is damaged, the SSTable is left unchanged. The reason is that
// adding Filter.db would make TOC.txt look complete.
TEST(DecideMendTest, ATocThatIsDamaged) {
  const MendDecision left = DecideMend(Finding(FilterVerdict::kTocDamaged), {});
  EXPECT_EQ(left.kind, MendDecision::kLeave);
  EXPECT_THAT(left.reason, HasSubstr("TOC.txt does not name Data.db"));
  FilterFinding finding = Finding(FilterVerdict::kKeysMissing);
  finding.verdicts.push_back(FilterVerdict::kTocDamaged);
  EXPECT_EQ(DecideMend(finding, {}).kind, MendDecision::kMakeAnew);
}

TEST(DecideMendTest, LeavesWhatItCannotMendSafely) {
  FilterFinding finding = Finding(FilterVerdict::kKeysMissing);
  const auto expect_left = [&](const std::string& why) {
    const MendDecision decision = DecideMend(finding, {});
    EXPECT_EQ(decision.kind, MendDecision::kLeave);
    EXPECT_THAT(decision.reason, HasSubstr(why));
    finding = Finding(FilterVerdict::kKeysMissing);
  };
  finding.has_keys = false;
  finding.errors = {"Filter.db: one", "Index.db: two"};
  expect_left("keys cannot be read: Index.db: two");
  finding.num_wrong_hashes = 1;
  expect_left("index is damaged");
  finding.plan.reset();
  expect_left("plan");
  finding = Finding(FilterVerdict::kKeysMissing, 1);
  expect_left("no filter");
  finding = Finding(FilterVerdict::kKeysMissing, 6.7e-5);
  expect_left("less than Cassandra can keep");
  finding.sstable.time_is_logged = true;
  expect_left("transaction log");
  finding = Finding(FilterVerdict::kNotInToc);
  finding.sstable.time_is_logged = true;
  expect_left("transaction log");
  finding = Finding(FilterVerdict::kKeysMissing);
  finding.sstable.unread_log = "a.log: cannot open";
  expect_left("a.log: cannot open; ");
}

// A mend with --fp-chance=0.1 would give a filter that is still worse than
// planned. The filter is left, because every later mend would rebuild it again.
TEST(DecideMendTest, AChanceThatLeavesItWorseThanPlanned) {
  const FilterFinding worse = Finding(FilterVerdict::kWorseThanPlanned);
  const MendDecision left = DecideMend(worse, {0.1});
  EXPECT_EQ(left.kind, MendDecision::kLeave);
  EXPECT_THAT(left.reason, HasSubstr("--fp-chance=0.1"));
  EXPECT_EQ(DecideMend(worse, {0.015}).kind, MendDecision::kMakeAnew);
  FilterFinding unplanned = worse;
  unplanned.plan.reset();
  unplanned.planned_size = 0;
  EXPECT_EQ(DecideMend(unplanned, {0.1}).kind, MendDecision::kMakeAnew);
}

// Totals counts a filter as rebuilt only if DecideMend decides to rebuild it.
TEST(DecideMendTest, TotalsAskIt) {
  for (const double plan : {0.01, 6.7e-5}) {
    const FilterFinding finding = Finding(FilterVerdict::kKeysMissing, plan);
    tools::Totals totals;
    totals.Add(finding);
    const bool is_mended =
        DecideMend(finding, {}).kind == MendDecision::kMakeAnew;
    EXPECT_EQ(is_mended, plan == 0.01);
    EXPECT_EQ(totals.mended_filter_bytes,
              is_mended ? finding.planned_size : finding.filter_size);
    EXPECT_EQ(totals.mended_reads,
              is_mended ? finding.planned_rate : finding.fill.rate());
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
