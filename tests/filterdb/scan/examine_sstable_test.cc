// SPDX-License-Identifier: Apache-2.0

// Judges SSTables that change after their folder was listed.

#include "tools/sstable/health/examine_sstable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "tests/support/sstable_writer.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using tools::Stage;

class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    SstableSpec spec;
    spec.version = "me";
    spec.folder = dir_.path();
    spec.keys = {"alice", "bob", "carol"};
    one_ = WriteSstable(spec);
    listed_ = tools::FindSstables({dir_.path()}, {}).sstables;
  }

  tools::FilterFinding Examine() const {
    return tools::ExamineSstable(listed_.at(0), std::nullopt, [](double) {});
  }

  const TempDir dir_;
  WrittenSstable one_;
  std::vector<tools::SstableFiles> listed_;
};

TEST_F(JudgeTest, Good) {
  EXPECT_EQ(Examine().stage, Stage::kExamined);
  EXPECT_FALSE(Examine().is_fault());
}

TEST_F(JudgeTest, AMissingFilterIsAFault) {
  fs::remove(one_.Path("Filter.db"));
  EXPECT_TRUE(Examine().is_fault());
}

TEST_F(JudgeTest, ScyllaDbIsRemovingIt) {
  fs::rename(one_.Path("TOC.txt"), one_.Path("TOC.txt.tmp"));
  fs::remove(one_.Path("Filter.db"));
  EXPECT_EQ(Examine().stage, Stage::kBeingWritten);
  EXPECT_FALSE(Examine().is_fault());
}

TEST_F(JudgeTest, CassandraHasRemovedIt) {
  fs::remove(one_.Path("Data.db"));
  fs::remove(one_.Path("Filter.db"));
  EXPECT_EQ(Examine().stage, Stage::kVanished);
}

}  // namespace
}  // namespace cassandra_bloom::testing
