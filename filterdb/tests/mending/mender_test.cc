// SPDX-License-Identifier: Apache-2.0

// Tests Mender with exceptions, stopped runs and replaced folders.

#include "filterdb/mending/mender.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "filterdb/health/examine_sstable.h"
#include "filterdb/sstable/sstable_finder.h"
#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using tools::Mender;
using tools::MendOutcome;

// The tests must not depend on the other processes of the machine.
tools::MendPlan PlanForTests() {
  tools::MendPlan plan;
  plan.ignore_unseen_processes = true;
  return plan;
}

class MenderTest : public ::testing::Test {
 protected:
  // Writes an SSTable with an empty Filter.db.
  void Write(const std::string& generation) const {
    SstableSpec spec;
    spec.folder = dir_.path();
    spec.generation = generation;
    spec.keys = {"alice", "bob", "carol"};
    spec.fault = FilterFault::kEmpty;
    WriteSstable(spec);
  }

  static std::vector<tools::FilterFinding> Examine(const std::string& folder) {
    std::vector<tools::FilterFinding> findings;
    for (const auto& found : tools::FindSstables({folder}).sstables) {
      bool data_is_gone = false;
      findings.push_back(tools::ExamineSstable(
          found, {}, [](double) {}, &data_is_gone));
    }
    return findings;
  }

  const TempDir dir_;
  const std::string filter_ = dir_ / "nb-1-big-Filter.db";
};

TEST_F(MenderTest, AnExceptionIsTheOutcomeOfOneSstable) {
  for (const std::string generation : {"1", "2", "3", "4"}) {
    Write(generation);
  }
  // Mender calls this callback with 0 before each SSTable. So `sstable` is the
  // number of the SSTable, counted from 1.
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
  const auto findings = Examine(dir_.path());
  for (const tools::FilterFinding& finding : findings) {
    outcomes.push_back(mender.Mend(finding).value());
  }
  ASSERT_EQ(outcomes.size(), 4U);
  EXPECT_EQ(outcomes[0].kind, MendOutcome::kMended);
  EXPECT_EQ(outcomes[1].kind, MendOutcome::kFailed);
  EXPECT_EQ(outcomes[1].reason,
            dir_ / "nb-2-big-Filter.db" + ": not enough memory");
  EXPECT_EQ(outcomes[2].kind, MendOutcome::kFailed);
  EXPECT_EQ(outcomes[2].reason, dir_ / "nb-3-big-Filter.db" + ": some reason");
  EXPECT_EQ(outcomes[3].kind, MendOutcome::kMended);
  EXPECT_EQ(ReadFile(dir_ / "nb-2-big-Filter.db"), "");
}

TEST_F(MenderTest, StopsInTheMiddleOfAnSstable) {
  Write("1");
  Mender mender(PlanForTests(),
                [](uint64_t num_keys) { return num_keys == 0; });
  const auto findings = Examine(dir_.path());
  EXPECT_EQ(mender.KeysToAdd(findings), 3U);
  EXPECT_EQ(mender.Mend(findings.at(0))->kind, MendOutcome::kNotDone);
  EXPECT_EQ(ReadFile(filter_), "");
}

TEST_F(MenderTest, StopsWhileALargeFilterIsKept) {
  Write("1");
  fs::resize_file(filter_, 10 << 20);
  const std::string before = ReadFile(filter_);
  const auto names = dir_.Names();
  // Mender calls this callback with 0 before the SSTable. Mender also calls it
  // with 0 after each 1 MiB of the old filter that it copies or checksums.
  int num_asked = 0;
  Mender mender(PlanForTests(), [&](uint64_t num_keys) {
    num_asked += num_keys == 0 ? 1 : 0;
    return num_asked < 4;
  });
  EXPECT_EQ(mender.Mend(Examine(dir_.path()).at(0))->kind,
            MendOutcome::kNotDone);
  EXPECT_EQ(num_asked, 4);
  EXPECT_EQ(ReadFile(filter_), before);
  EXPECT_EQ(dir_.Names(), names);
}

// After the scan, links to other SSTables replace the folders.
TEST_F(MenderTest, LeavesAnotherFolderThanTheOneThatWasScanned) {
  Write("1");
  const TempDir data;
  for (const std::string keyspace : {"ks", "other"}) {
    fs::create_directories(data / keyspace);
    fs::copy(dir_.path(), data / keyspace + "/t1");
  }
  const auto finding = Examine(data / "ks").at(0);
  tools::MendPlan plan = PlanForTests();
  plan.backup.kind = tools::Backup::kNone;
  plan.dry_run = true;
  Mender mender(plan, [](uint64_t) { return true; });
  const auto expect = [&](MendOutcome::Kind kind, const std::string& reason) {
    const auto outcome = mender.Mend(finding);
    EXPECT_EQ(outcome->kind, kind);
    EXPECT_EQ(outcome->reason, reason);
  };
  const std::string left =
      "its folder is not the one that was scanned; scan again";
  expect(MendOutcome::kWouldMend, "");
  fs::rename(data / "ks/t1", data / "ks/moved");
  fs::create_directory_symlink(data / "other/t1", data / "ks/t1");
  expect(MendOutcome::kLeft, left);
  fs::rename(data / "ks", data / "moved");
  fs::create_directory_symlink(data / "other", data / "ks");
  expect(MendOutcome::kLeft, left);
}

}  // namespace
}  // namespace cassandra_bloom::testing
