// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_all.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "filterdb/tests/fake_sstable/log_record.h"
#include "tests/support/naive_filter.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tools::Action;
using tools::Check;
using tools::Examined;
using tools::SstableState;

std::vector<Examined> ExamineAll(const std::vector<tools::Sstable>& sstables) {
  return tools::ExamineAll(sstables, {}, /*jobs=*/2, [](double) {});
}

class ExamineAllTest : public ::testing::Test {
 protected:
  ExamineAllTest() : dir_(FolderInMemory()), one_(Write("1")) {
    listed_ = tools::FindSstables({dir_.path()}).sstables;
  }

  WrittenSstable Write(const std::string& generation) const {
    SstableSpec spec;
    spec.version = "me";
    spec.folder = dir_.path();
    spec.generation = generation;
    spec.keys = {"alice", "bob", "carol"};
    return WriteSstable(spec);
  }

  // Examines what was found before the test changed it.
  Examined Examine() const { return ExamineAll(listed_).at(0); }

  const TempDir dir_;
  const WrittenSstable one_;
  std::vector<tools::Sstable> listed_;
};

TEST_F(ExamineAllTest, ScyllaDbIsRemovingIt) {
  fs::rename(one_.Path("TOC.txt"), one_.Path("TOC.txt.tmp"));
  fs::remove(one_.Path("Filter.db"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kBeingWritten);
}

// A TOC.txt.tmp beside TOC.txt is nothing that ScyllaDB leaves.
TEST_F(ExamineAllTest, AnotherProgramHasLeftATocTmp) {
  WriteFile(one_.Path("TOC.txt.tmp"), "");
  WriteFile(one_.Path("Filter.db"), "");
  const auto listed = tools::FindSstables({dir_.path()}).sstables;
  EXPECT_EQ(ExamineAll(listed).at(0).verdict(), Check::kEmpty);
}

// A folder in another one was given by the path of a link, too.
TEST_F(ExamineAllTest, DataIsMissingBehindALink) {
  fs::remove(one_.Path("Data.db"));
  const TempDir other;
  fs::copy(dir_.path(), other / "sub");
  fs::copy(dir_.path(), other.path());
  fs::create_directory_symlink("sub", other / "link");
  const auto listed =
      tools::FindSstables({other / "link", other.path()}).sstables;
  ASSERT_EQ(listed.size(), 2U);
  for (const Examined& examined : ExamineAll(listed)) {
    EXPECT_EQ(examined.verdict(), Check::kKeysUnreadable);
  }
}

TEST_F(ExamineAllTest, CassandraHasRemovedIt) {
  fs::remove(one_.Path("Data.db"));
  fs::remove(one_.Path("Filter.db"));
  fs::remove(one_.Path("Index.db"));
  fs::remove(one_.Path("TOC.txt"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kVanished);
  fs::remove_all(dir_.path());
  EXPECT_EQ(Examine().sstable.state, SstableState::kVanished);
}

// TOC.txt still exists, but a new log says that Cassandra removes the SSTable.
TEST_F(ExamineAllTest, CassandraIsRemovingIt) {
  fs::remove(one_.Path("Data.db"));
  WriteFile(dir_ / "me_txn_compaction_7b1cd1d0-1f5b-11ef-8f33-0f9a4e1c2b3d.log",
            LogRecord("REMOVE", one_.prefix, 0, 8) + LogRecord("COMMIT"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kObsolete);
}

// Files that a node does not remove are no SSTable that has vanished: a node of
// ScyllaDB with such files does not start.
TEST_F(ExamineAllTest, OnlyOtherFilesAreLeft) {
  fs::remove(one_.Path("Data.db"));
  fs::remove(one_.Path("TOC.txt"));
  EXPECT_EQ(Examine().sstable.state, SstableState::kLive);
  EXPECT_EQ(Examine().verdict(), Check::kKeysUnreadable);
  WriteFile(one_.Path("Scylla.db"), std::string(4, '\0'));
  EXPECT_TRUE(Examine().has(Check::kTocMissing));
  fs::remove(one_.Path("Index.db"));
  EXPECT_TRUE(Examine().has_fault());
}

// A compaction never removes Data.db alone, and waiting is for all of them at
// once: one after another, 50 SSTables took 10 seconds.
TEST_F(ExamineAllTest, DataIsMissing) {
  for (int i = 2; i <= 50; ++i) {
    Write(std::to_string(i));
  }
  const auto listed = tools::FindSstables({dir_.path()}).sstables;
  ASSERT_EQ(listed.size(), 50U);
  for (const tools::Sstable& sstable : listed) {
    fs::remove(sstable.Path("Data.db"));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (const Examined& examined : ExamineAll(listed)) {
    EXPECT_EQ(examined.sstable.state, SstableState::kLive);
    EXPECT_EQ(examined.verdict(), Check::kKeysUnreadable);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// Nobody can open the first filter until the second SSTable was examined.
TEST_F(ExamineAllTest, TwoWithLargeFiltersAtOnce) {
  Write("2");
  const auto listed = tools::FindSstables({dir_.path()}).sstables;
  ASSERT_EQ(listed.size(), 2U);
  for (const tools::Sstable& sstable : listed) {
    fs::resize_file(sstable.Path("Filter.db"), 16 << 20);
  }
  signal(SIGIO, SIG_IGN);  // It says that somebody waits for the lease.
  const int lease = open(listed[0].Path("Filter.db").c_str(), O_RDWR);
  ASSERT_EQ(fcntl(lease, F_SETLEASE, F_WRLCK), 0);
  // The kernel takes a lease away after 45 s.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool second_is_done = false;
  tools::ExamineAll(listed, {}, /*jobs=*/2, [&](double share) {
    second_is_done = second_is_done ||
                     (share > 0.4 && std::chrono::steady_clock::now() < end);
    fcntl(lease, F_SETLEASE, F_UNLCK);
  });
  close(lease);
  EXPECT_TRUE(second_is_done);
}

int64_t Token(const std::string& key) {
  return static_cast<int64_t>(PlainHash(key).first);
}

// Index.db is damaged, and Filter.db is good. The damage must not look like a
// key that the filter lacks. The wrong key has the right length, and its token
// fits into the order. So only a comparison with the key in Data.db shows it.
// (sstable_checks_test.cc tests other damage, and every version.)
TEST_F(ExamineAllTest, ADamagedIndex) {
  const std::string before = one_.keys[1];
  std::string after;
  for (uint32_t i = 1; after.empty(); ++i) {
    std::string key = before;
    key[0] = static_cast<char>(i >> 8);
    key[1] = static_cast<char>(i);
    if (key != before && Token(key) > Token(one_.keys[0]) &&
        Token(key) < Token(one_.keys[2])) {
      after = key;
    }
  }
  std::string damaged = ReadFile(one_.Path("Index.db"));
  damaged.replace(damaged.find(before), before.size(), after);
  WriteFile(one_.Path("Index.db"), damaged);
  const Examined examined = Examine();
  ASSERT_EQ(examined.findings.size(), 1U);
  EXPECT_EQ(examined.verdict(), Check::kKeysUnreadable);
  EXPECT_THAT(examined.ReasonToLeave(), HasSubstr("(nodetool scrub)"));
  EXPECT_EQ(examined.num_missing, 0U);
  EXPECT_FALSE(examined.has_keys);
  EXPECT_EQ(examined.action(), Action::kLeave);
}

}  // namespace
}  // namespace cassandra_bloom::testing
