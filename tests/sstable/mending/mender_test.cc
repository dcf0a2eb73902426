// SPDX-License-Identifier: Apache-2.0

// An exception while one SSTable is mended is that one's outcome.

#include "tools/sstable/mending/mender.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/temp_dir.h"
#include "tools/sstable/health/examine_sstable.h"
#include "tools/sstable/sstable_finder.h"

namespace cassandra_bloom::testing {
namespace {

using tools::Mender;
using tools::MendOutcome;

// Which processes cannot be examined depends on the machine.
tools::MendPlan PlanForTests() {
  tools::MendPlan plan;
  plan.ignore_unseen_processes = true;
  return plan;
}

TEST(MenderTest, AnExceptionIsTheOutcomeOfOneSstable) {
  const TempDir dir;
  for (int i = 1; i <= 4; ++i) {
    SstableSpec spec;
    spec.folder = dir.path();
    spec.generation = std::to_string(i);
    spec.keys = {"alice", "bob", "carol"};
    spec.fault = FilterFault::kEmpty;
    WriteSstable(spec);
  }
  // The keys of an SSTable come after the call with 0.
  int sstable = 0;
  Mender mender(PlanForTests(), [&](uint64_t num_keys) {
    sstable += num_keys == 0 ? 1 : 0;
    if (num_keys > 0 && sstable == 2) {
      throw std::bad_alloc();
    }
    if (num_keys > 0 && sstable == 3) {
      throw std::runtime_error("some reason");
    }
    return true;
  });
  std::vector<MendOutcome> outcomes;
  for (const auto& found : tools::FindSstables({dir.path()}, {}).sstables) {
    const tools::FilterFinding finding =
        tools::ExamineSstable(found, std::nullopt, [](double) {});
    outcomes.push_back(mender.Mend(finding).value());
  }
  ASSERT_EQ(outcomes.size(), 4U);
  EXPECT_EQ(outcomes[0].kind, MendOutcome::kMended);
  EXPECT_EQ(outcomes[1].kind, MendOutcome::kFailed);
  EXPECT_EQ(outcomes[1].reason,
            dir / "nb-2-big-Filter.db" + ": not enough memory");
  EXPECT_EQ(outcomes[2].kind, MendOutcome::kFailed);
  EXPECT_EQ(outcomes[2].reason, dir / "nb-3-big-Filter.db" + ": some reason");
  EXPECT_EQ(outcomes[3].kind, MendOutcome::kMended);
  EXPECT_EQ(ReadFile(dir / "nb-2-big-Filter.db"), "");
}

TEST(MenderTest, StopsInTheMiddleOfAnSstable) {
  const TempDir dir;
  SstableSpec spec;
  spec.folder = dir.path();
  spec.keys = {"alice", "bob", "carol"};
  spec.fault = FilterFault::kEmpty;
  WriteSstable(spec);
  Mender mender(PlanForTests(),
                [](uint64_t num_keys) { return num_keys == 0; });
  const auto sstable = tools::FindSstables({dir.path()}, {}).sstables.at(0);
  const tools::FilterFinding finding =
      tools::ExamineSstable(sstable, std::nullopt, [](double) {});
  EXPECT_EQ(mender.KeysToAdd({finding}), 3U);
  EXPECT_EQ(mender.Mend(finding)->kind, MendOutcome::kNotDone);
  EXPECT_EQ(ReadFile(dir / "nb-1-big-Filter.db"), "");
}

TEST(MenderTest, StopsWhileALargeFilterIsKept) {
  const TempDir dir;
  SstableSpec spec;
  spec.folder = dir.path();
  spec.keys = {"alice", "bob", "carol"};
  spec.fault = FilterFault::kEmpty;
  WriteSstable(spec);
  const std::string filter = dir / "nb-1-big-Filter.db";
  std::filesystem::resize_file(filter, 10 << 20);
  const std::string before = ReadFile(filter);
  const auto names = dir.Names();
  // The first call with 0 comes before the SSTable.
  int num_asked = 0;
  Mender mender(PlanForTests(), [&](uint64_t num_keys) {
    num_asked += num_keys == 0 ? 1 : 0;
    return num_asked < 4;
  });
  const auto sstable = tools::FindSstables({dir.path()}, {}).sstables.at(0);
  const tools::FilterFinding finding =
      tools::ExamineSstable(sstable, std::nullopt, [](double) {});
  EXPECT_EQ(mender.Mend(finding)->kind, MendOutcome::kNotDone);
  EXPECT_EQ(num_asked, 4);
  EXPECT_EQ(ReadFile(filter), before);
  EXPECT_EQ(dir.Names(), names);
}

}  // namespace
}  // namespace cassandra_bloom::testing
