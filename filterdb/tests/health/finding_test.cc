// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/filter_questions.h"
#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using tools::Action;
using tools::Check;
using tools::Examined;
using tools::ExamineOptions;
using tools::FilterFill;
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

// ---- FilterFill ----

// Builds a filter. `make` is FilterDbBuilder::ForBitsPerKey or ForFpChance.
template <typename Make>
FilterFill Build(Make make, double size, uint64_t expected, uint64_t num_keys) {
  std::string error;
  const auto builder = make(size, expected, kNaAndLater, &error);
  EXPECT_NE(builder, nullptr) << error;
  for (uint64_t i = 0; i < num_keys; ++i) {
    builder->Add("key " + std::to_string(i));
  }
  const ParsedFilter parsed{builder->num_probes(), builder->num_words(),
                            builder->bits()};
  return {parsed.num_probes, CountSetBits(parsed), parsed.capacity_bits()};
}

TEST(FilterFillTest, NotSaturatedByItsOwnKeys) {
  for (const uint64_t n : {1U, 3U, 11U, 44U, 108U, 1000U, 20000U}) {
    SCOPED_TRACE(n);
    for (const double bits : {1.0, 1.5, 2.0, 2.1, 2.9, 3.0, 3.5, 3.7, 4.0, 5.0,
                              7.0, 10.0, 16.0, 20.0, 40.0, 100.0}) {
      EXPECT_FALSE(
          Build(FilterDbBuilder::ForBitsPerKey, bits, n, n).is_saturated())
          << bits;
    }
    for (const double chance :
         {0.0000671, 0.001, 0.01, 0.1, 0.2, 0.3, 0.39, 0.4, 0.7, 0.99}) {
      EXPECT_FALSE(
          Build(FilterDbBuilder::ForFpChance, chance, n, n).is_saturated())
          << chance;
    }
  }
}

TEST(FilterFillTest, Rate) {
  EXPECT_NEAR(Build(FilterDbBuilder::ForBitsPerKey, 12.5, 10000, 10000).rate(),
              0.0025, 0.0005);
  EXPECT_EQ(FilterFill().rate(), 1);
}

TEST(FilterFillTest, SaturatedByTooManyKeys) {
  for (const double bits : {4.0, 7.0, 10.0}) {
    EXPECT_TRUE(Build(FilterDbBuilder::ForBitsPerKey, bits, 10000, 30000)
                    .is_saturated())
        << bits;
  }
  // At 20 bits per key, a filter with twice the expected keys is still good,
  // because only 0.3 % of absent keys pass.
  EXPECT_FALSE(
      Build(FilterDbBuilder::ForBitsPerKey, 20, 10000, 20000).is_saturated());
  EXPECT_TRUE(
      Build(FilterDbBuilder::ForBitsPerKey, 20, 10000, 40000).is_saturated());
}

TEST(FilterFillTest, SaturatedByAllBits) {
  for (const int num_probes : {1, 2, 3, 20}) {
    EXPECT_TRUE((FilterFill{num_probes, 64, 64}.is_saturated()));
    EXPECT_FALSE((FilterFill{num_probes, 0, 64}.is_saturated()));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
