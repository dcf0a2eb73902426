// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "filterdb/health/obstacles.h"
#include "filterdb/health/totals.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using tools::Action;
using tools::Check;
using tools::Examined;
using tools::ExamineOptions;
using tools::SstableState;

// Returns an SSTable of 1,000 keys with these findings. Scylla.db has no
// digests.
Examined With(const std::vector<Check>& checks) {
  Examined sstable;
  sstable.has_filter_file = true;
  sstable.filter_size = 5000;
  sstable.has_keys = true;
  sstable.num_keys = 1000;
  sstable.plan = 0.01;
  sstable.planned_size = 1264;
  sstable.planned_rate = 0.0093;
  for (const Check check : checks) {
    sstable.Add(check);
    sstable.toc_names_filter &=
        check != Check::kNotInToc && check != Check::kNotLoaded;
  }
  return sstable;
}

Examined WithDigests(Examined sstable, bool of_toc) {
  sstable.filter_has_digest = true;
  sstable.toc_has_digest = of_toc;
  return sstable;
}

TEST(FindingTest, TheVerdictIsTheWorst) {
  const Examined sstable =
      With({Check::kSaturated, Check::kKeysMissing, Check::kNotInToc,
            Check::kEmpty, Check::kKeysMissing});
  EXPECT_EQ(sstable.verdict(), Check::kKeysMissing);
  EXPECT_EQ(sstable.findings.size(), 4U);
  EXPECT_TRUE(sstable.has_fault());
  EXPECT_EQ(With({}).verdict(), Check::kOk);
  EXPECT_FALSE(With({}).has_fault());
}

struct Case {
  std::vector<Check> checks;
  Action action;
  bool is_fault;
};

TEST(FindingTest, TheDecisionIsTheLargestAction) {
  for (const Case& each : std::vector<Case>{
           {{}, Action::kNone, false},
           {{Check::kOversized}, Action::kNone, false},
           {{Check::kKeysNotConfirmed}, Action::kNone, false},
           {{Check::kNotInToc}, Action::kCompleteToc, false},
           {{Check::kNotLoaded}, Action::kCompleteToc, true},
           {{Check::kTocUnfinished}, Action::kCompleteToc, true},
           {{Check::kNotInToc, Check::kSaturated}, Action::kMend, true},
           {{Check::kEmpty}, Action::kMend, true},
           {{Check::kDigestDiffers}, Action::kMend, true},
           {{Check::kTocDamaged}, Action::kLeave, true},
           {{Check::kKeysMissing, Check::kTocDamaged}, Action::kLeave, true},
           {{Check::kTruncated, Check::kKeysUnreadable}, Action::kLeave, true},
           {{Check::kWrongIndexHashes}, Action::kLeave, true},
           {{Check::kUnknownVersion}, Action::kNotKnown, false},
           {{Check::kNotSupported}, Action::kNotKnown, false}}) {
    const Examined sstable = With(each.checks);
    EXPECT_EQ(sstable.action(), each.action) << sstable.VerdictText();
    EXPECT_EQ(sstable.has_fault(), each.is_fault) << sstable.VerdictText();
    EXPECT_EQ(sstable.is_not_known(), each.action == Action::kNotKnown);
  }
}

// The one table says what to do where a mend is not enough.
TEST(FindingTest, WhatIsLeftHasARemedy) {
  for (int i = 0; i < static_cast<int>(Check::kOk); ++i) {
    const tools::CheckInfo& info = tools::InfoOf(static_cast<Check>(i));
    EXPECT_NE(info.action == Action::kLeave ||
                  info.check == Check::kKeysNotConfirmed ||
                  info.check == Check::kNotRead ||
                  info.check == Check::kDigestDiffers,
              *info.remedy == '\0')
        << info.name;
  }
}

TEST(FindingTest, WhatWasNotExaminedIsNoFault) {
  for (const SstableState state :
       {SstableState::kBeingWritten, SstableState::kObsolete,
        SstableState::kVanished}) {
    Examined sstable = With({Check::kKeysMissing});
    sstable.LeaveOut(state);
    EXPECT_FALSE(sstable.has_fault());
    EXPECT_EQ(sstable.VerdictText(), NameOf(state));
    tools::Totals totals;
    totals.Add(sstable);
    EXPECT_EQ(totals.num_left_out, 1U);
    EXPECT_EQ(totals.num_sstables, 0U);
  }
}

// What stands in the way of a mend, and the words that say so.
TEST(FindingTest, Obstacles) {
  const auto reason_of = [](Examined sstable,
                            const ExamineOptions& means = {}) {
    AddObstacles(means, &sstable);
    EXPECT_EQ(sstable.action(), Action::kLeave);
    return sstable.ReasonToLeave();
  };
  Examined sstable = With({Check::kKeysMissing});
  sstable.plan.reset();
  EXPECT_EQ(reason_of(sstable),
            "its planned chance is unknown; give --default-fp-chance");
  sstable.plan = 1;
  EXPECT_THAT(reason_of(sstable), HasSubstr("its plan is to have no filter"));
  sstable.plan = 6.7e-5;
  EXPECT_THAT(reason_of(sstable), HasSubstr("less than Cassandra can keep"));
  for (const Check check : {Check::kKeysMissing, Check::kNotInToc}) {
    sstable = With({check});
    sstable.sstable.time_is_logged = true;
    EXPECT_THAT(reason_of(sstable),
                HasSubstr("start the node once, then mend"));
    sstable = With({check});
    sstable.sstable.unread_log = "a.log: cannot open";
    EXPECT_THAT(reason_of(sstable), HasSubstr("a.log: cannot open; "));
  }
  ExamineOptions no_digests;
  no_digests.rewrite_digests = false;
  EXPECT_THAT(
      reason_of(WithDigests(With({Check::kKeysMissing}), false), no_digests),
      HasSubstr("give --rewrite-digests"));
  EXPECT_THAT(
      reason_of(WithDigests(With({Check::kNotLoaded}), true), no_digests),
      HasSubstr("give --rewrite-digests"));
  ExamineOptions to_out_dir;
  to_out_dir.to_out_dir = true;
  EXPECT_THAT(reason_of(With({Check::kNotLoaded}), to_out_dir),
              HasSubstr("mend without --out-dir"));
}

TEST(FindingTest, NoObstacles) {
  const auto action_of = [](Examined sstable, const ExamineOptions& means) {
    AddObstacles(means, &sstable);
    return sstable.action();
  };
  EXPECT_EQ(action_of(With({Check::kEmpty}), {}), Action::kMend);
  // Without a mend, nothing stands in its way.
  Examined good = With({});
  good.plan.reset();
  good.sstable.time_is_logged = true;
  EXPECT_EQ(action_of(good, {}), Action::kNone);
  ExamineOptions oversized;
  oversized.oversized = true;
  EXPECT_EQ(action_of(With({Check::kOversized}), {}), Action::kNone);
  EXPECT_EQ(action_of(With({Check::kOversized}), oversized), Action::kMend);
  ExamineOptions to_out_dir;
  to_out_dir.to_out_dir = true;
  to_out_dir.rewrite_digests = false;
  EXPECT_EQ(action_of(With({Check::kNotInToc}), to_out_dir), Action::kNone);
  EXPECT_EQ(action_of(WithDigests(With({Check::kEmpty}), true), to_out_dir),
            Action::kMend);
  ExamineOptions no_digests;
  no_digests.rewrite_digests = false;
  EXPECT_EQ(action_of(With({Check::kEmpty}), no_digests), Action::kMend);
  EXPECT_EQ(action_of(WithDigests(With({Check::kNotInToc}), false), no_digests),
            Action::kCompleteToc);
}

// The sums count a filter as mended only if mend would make it anew.
TEST(FindingTest, TotalsReadTheSameList) {
  tools::Totals totals;
  totals.Add(With({Check::kKeysMissing}));
  totals.Add(With({Check::kKeysMissing, Check::kTimesLogged}));
  totals.Add(With({Check::kOversized}));
  totals.Add(With({}));
  totals.Add(With({Check::kUnknownVersion}));
  EXPECT_EQ(totals.num_not_confirmed, 0U);
  EXPECT_EQ(totals.num_sstables, 4U);
  EXPECT_EQ(totals.num_not_known, 1U);
  EXPECT_EQ(totals.num_faulty, 2U);
  EXPECT_EQ(totals.num_keys, 4000U);
  EXPECT_EQ(totals.filter_bytes, 20000U);
  EXPECT_EQ(totals.mended_filter_bytes, 15000U + 1264U);
  EXPECT_DOUBLE_EQ(totals.reads, 4);
  EXPECT_DOUBLE_EQ(totals.mended_reads, 3.0093);
  EXPECT_EQ(totals.num_oversized, 1U);
  EXPECT_EQ(totals.freed_bytes, 5000U - 1264U);
  totals.Add(With({Check::kKeysNotConfirmed, Check::kOversized}));
  EXPECT_EQ(totals.num_not_confirmed, 1U);
  EXPECT_EQ(totals.num_sstables, 5U);
  EXPECT_EQ(totals.num_faulty, 2U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
