// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_sstable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/decide_mend.h"
#include "filterdb/mending/mend_filter.h"
#include "filterdb/sstable/sstable_finder.h"
#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/naive_filter.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using tools::SstableState;

class ExamineSstableTest : public ::testing::Test {
 protected:
  ExamineSstableTest() {
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
  std::vector<tools::Sstable> listed_;
};

TEST_F(ExamineSstableTest, Good) {
  EXPECT_EQ(Examine().sstable.state, SstableState::kLive);
  EXPECT_FALSE(Examine().is_fault());
}

TEST_F(ExamineSstableTest, AMissingFilterIsAFault) {
  fs::remove(one_.Path("Filter.db"));
  EXPECT_TRUE(Examine().is_fault());
}

TEST_F(ExamineSstableTest, ScyllaDbIsRemovingIt) {
  fs::rename(one_.Path("TOC.txt"), one_.Path("TOC.txt.tmp"));
  fs::remove(one_.Path("Filter.db"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kBeingWritten);
  EXPECT_FALSE(Examine().is_fault());
}

TEST_F(ExamineSstableTest, CassandraHasRemovedIt) {
  fs::remove(one_.Path("Data.db"));
  fs::remove(one_.Path("Filter.db"));
  fs::remove(one_.Path("TOC.txt"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kVanished);
  fs::remove_all(dir_.path());
  EXPECT_EQ(Examine().sstable.state, SstableState::kVanished);
}

// TOC.txt still exists, but a new log says that Cassandra removes the SSTable.
TEST_F(ExamineSstableTest, CassandraIsRemovingIt) {
  fs::remove(one_.Path("Data.db"));
  WriteFile(
      dir_ / "me_txn_compaction_7b1cd1d0-1f5b-11ef-8f33-0f9a4e1c2b3d.log",
      "REMOVE:[" + one_.prefix + ",0,8][1234567]\nCOMMIT:[,0,0][2613697770]\n");
  EXPECT_EQ(Examine().sstable.state, SstableState::kVanished);
}

TEST_F(ExamineSstableTest, ItsDataIsMissing) {
  fs::remove(one_.Path("Data.db"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kLive);
  EXPECT_EQ(Examine().verdict(), tools::FilterVerdict::kUnreadable);
}

// Index.db is damaged, and Filter.db is good. ExamineSstable must not report
// missing keys in the filter. No new filter may be built from Index.db.
class DamagedIndexTest : public ::testing::TestWithParam<const char*> {
 protected:
  DamagedIndexTest() : one_(Write("1", "key")), other_(Write("2", "other")) {}

  WrittenSstable Write(const std::string& generation,
                       const std::string& start) const {
    SstableSpec spec;
    spec.version = GetParam();
    spec.folder = dir_.path();
    spec.generation = generation;
    for (int i = 0; i < 1000; ++i) {
      spec.keys.push_back(start + std::to_string(i));
    }
    return WriteSstable(spec);
  }

  void ExpectLeft() const {
    const auto listed =
        tools::FindSstables({one_.Path("Data.db")}, {}).sstables;
    const tools::FilterFinding finding =
        tools::ExamineSstable(listed.at(0), std::nullopt, [](double) {});
    EXPECT_EQ(finding.verdicts, std::vector{tools::FilterVerdict::kUnreadable});
    EXPECT_EQ(finding.num_missing, 0U);
    EXPECT_FALSE(finding.has_keys);
    ASSERT_EQ(finding.errors.size(), 1U);
    EXPECT_NE(finding.errors[0].find("(nodetool scrub)"), std::string::npos);
    EXPECT_EQ(tools::DecideMend(finding, {0.01}).kind,
              tools::MendDecision::kLeave);
    // BuildFilter must find the damage itself, because Index.db may be damaged
    // after ExamineSstable has read it.
    try {
      tools::BuildFilter(finding.sstable, /*folder=*/nullptr, 1000, 0.01,
                         [](uint64_t) { return true; });
      ADD_FAILURE() << "a filter was made of a damaged index";
    } catch (const tools::MendEnd& end) {
      EXPECT_EQ(end.kind, tools::MendOutcome::kFailed);
      EXPECT_NE(end.reason.find("(nodetool scrub)"), std::string::npos)
          << end.reason;
    }
  }

  const TempDir dir_;
  const WrittenSstable one_;
  const WrittenSstable other_;
};

TEST_P(DamagedIndexTest, AFlippedBitOfAKey) {
  const std::string whole = ReadFile(one_.Path("Index.db"));
  for (const size_t number : {0U, 500U, 999U}) {
    std::string damaged = whole;
    damaged[damaged.find(one_.keys[number])] ^= 1;
    WriteFile(one_.Path("Index.db"), damaged);
    ExpectLeft();
  }
}

int64_t Token(const std::string& key) {
  return static_cast<int64_t>(NaiveFilter::Hash(key).first);
}

// The wrong key has the right length, and its token fits into the order. So
// only a comparison with the key in Data.db shows the damage.
TEST_P(DamagedIndexTest, AnotherKeyInTheSamePlace) {
  const std::string before = one_.keys[500];
  std::string after;
  for (int i = 100000; after.empty(); ++i) {
    const std::string key = std::to_string(i);
    ASSERT_EQ(key.size(), before.size());
    if (Token(key) > Token(one_.keys[499]) &&
        Token(key) < Token(one_.keys[501])) {
      after = key;
    }
  }
  std::string damaged = ReadFile(one_.Path("Index.db"));
  damaged.replace(damaged.find(before), before.size(), after);
  WriteFile(one_.Path("Index.db"), damaged);
  ExpectLeft();
}

TEST_P(DamagedIndexTest, OfAnotherSstable) {
  WriteFile(one_.Path("Index.db"), ReadFile(other_.Path("Index.db")));
  ExpectLeft();
  WriteFile(one_.Path("Statistics.db"), ReadFile(other_.Path("Statistics.db")));
  WriteFile(one_.Path("Summary.db"), ReadFile(other_.Path("Summary.db")));
  ExpectLeft();
}

TEST_P(DamagedIndexTest, EndsBetweenTwoEntries) {
  const std::string whole = ReadFile(one_.Path("Index.db"));
  const size_t middle = whole.find(one_.keys[500]) - 2;
  WriteFile(one_.Path("Index.db"), whole.substr(0, middle));
  ExpectLeft();
}

INSTANTIATE_TEST_SUITE_P(Versions, DamagedIndexTest,
                         ::testing::Values("ic", "jb", "ka", "lb", "mc", "nb",
                                           "oa"));

}  // namespace
}  // namespace cassandra_bloom::testing
