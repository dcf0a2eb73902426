// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using tools::Action;
using tools::Check;
using tools::Examined;
using tools::ExamineOptions;
using tools::Harm;
using tools::Reader;
using tools::SstableState;

// Returns an SSTable of 1,000 keys with these findings. Scylla.db has no
// digests.
Examined With(const std::vector<Check>& checks,
              Reader reader = Reader::kCassandraFromNa) {
  Examined sstable;
  sstable.reader = reader;
  sstable.has_filter_file = true;
  sstable.filter_size = 5000;
  sstable.has_keys = true;
  sstable.num_keys = 1000;
  sstable.plan = 0.01;
  sstable.planned_size = 1264;
  sstable.planned_rate = 0.0093;
  for (const Check check : checks) {
    sstable.Add(check);
  }
  return sstable;
}

// The worst harm comes first, which depends on who reads the SSTable.
TEST(FindingTest, TheVerdictIsTheWorst) {
  const std::vector<Check> checks = {Check::kNotInToc,     Check::kSaturated,
                                     Check::kNotConfirmed, Check::kKeysMissing,
                                     Check::kEmpty,        Check::kKeysMissing};
  EXPECT_EQ(With(checks).verdict(), Check::kKeysMissing);
  EXPECT_EQ(With(checks).findings.size(), 5U);
  EXPECT_EQ(With(checks).findings.back().check, Check::kNotInToc);
  EXPECT_EQ(With(checks, Reader::kCassandraBeforeNa).verdict(), Check::kEmpty);
  EXPECT_EQ(With({}).verdict(), Check::kOk);
  EXPECT_EQ(With({}).worst(), Harm::kNone);
}

TEST(FindingTest, TheDecisionIsTheLargestAction) {
  const struct {
    std::vector<Check> checks;
    Action action;
    Reader reader = Reader::kCassandraFromNa;
  } cases[] = {{{}, Action::kNone},
               {{Check::kOversized}, Action::kNone},
               {{Check::kLeftOver}, Action::kNone},
               {{Check::kNotInToc}, Action::kNone},
               {{Check::kNotInToc}, Action::kMend, Reader::kScylla},
               {{Check::kTocUnfinished}, Action::kMend},
               {{Check::kNotInToc, Check::kSaturated}, Action::kMend},
               {{Check::kEmpty}, Action::kMend},
               {{Check::kDigestDiffers}, Action::kMend},
               {{Check::kTocDamaged}, Action::kLeave},
               {{Check::kKeysMissing, Check::kTocDamaged}, Action::kLeave},
               {{Check::kTruncated, Check::kKeysUnreadable}, Action::kLeave},
               {{Check::kNotInToc, Check::kNotConfirmed}, Action::kLeave},
               {{Check::kKeysMissing, Check::kNotSupported}, Action::kLeave}};
  for (const auto& each : cases) {
    const Examined sstable = With(each.checks, each.reader);
    EXPECT_EQ(sstable.action(), each.action) << sstable.VerdictText();
  }
}

TEST(FindingTest, WhatWasNotExaminedIsNoFault) {
  for (const SstableState state :
       {SstableState::kBeingWritten, SstableState::kObsolete,
        SstableState::kVanished}) {
    Examined sstable = With({Check::kKeysMissing});
    sstable.LeaveOut(state);
    EXPECT_EQ(sstable.worst(), Harm::kNone);
    EXPECT_EQ(sstable.VerdictText(), NameOf(state));
  }
}

// What stands in the way of a mend, and the words that say so.
TEST(FindingTest, Obstacles) {
  const auto reason_of = [](Examined sstable,
                            const ExamineOptions& means = {}) {
    const Harm before = sstable.worst();
    sstable.AddObstacles(means);
    EXPECT_EQ(sstable.action(), Action::kLeave);
    EXPECT_EQ(sstable.worst(), before);
    return sstable.ReasonToLeave();
  };
  Examined sstable = With({Check::kKeysMissing});
  sstable.plan.reset();
  EXPECT_EQ(reason_of(sstable), "plan unknown; give --default-fp-chance");
  sstable.plan = 1;
  EXPECT_THAT(reason_of(sstable), HasSubstr("no filter planned; set a "));
  sstable.plan = 6.7e-5;
  EXPECT_THAT(reason_of(sstable), HasSubstr("no filter planned; set a "));
  for (const Check check : {Check::kKeysMissing, Check::kNotInToc}) {
    sstable = With({check}, Reader::kScylla);
    sstable.sstable.time_is_logged = true;
    EXPECT_THAT(reason_of(sstable), HasSubstr("start the node once"));
    sstable = With({check}, Reader::kScylla);
    sstable.sstable.unread_log = "a.log: cannot open";
    EXPECT_THAT(reason_of(sstable), HasSubstr("a.log: cannot open; "));
  }
  ExamineOptions no_digests;
  no_digests.rewrite_digests = false;
  sstable = With({Check::kNotInToc}, Reader::kScylla);
  sstable.digests_change = true;
  EXPECT_THAT(reason_of(sstable, no_digests),
              HasSubstr("give --rewrite-digests"));
}

TEST(FindingTest, NoObstacles) {
  const auto action_of = [](Examined sstable, const ExamineOptions& means) {
    sstable.AddObstacles(means);
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
  ExamineOptions no_digests;
  no_digests.rewrite_digests = false;
  EXPECT_EQ(action_of(With({Check::kEmpty}), no_digests), Action::kMend);
}

}  // namespace
}  // namespace cassandra_bloom::testing
