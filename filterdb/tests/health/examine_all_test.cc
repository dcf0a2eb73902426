// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tools::Check;
using tools::Examined;
using tools::Harm;
using tools::SstableState;

std::vector<tools::Sstable> FindSstables(
    const std::vector<std::string>& operands) {
  std::vector<tools::Sstable> found;
  tools::SstableFinder finder(
      operands, [](const std::string& error) { ADD_FAILURE() << error; });
  while (const auto sstable = finder.Next()) {
    found.push_back(*sstable);
  }
  return found;
}

// Calls `meanwhile` after the first look at all SSTables.
std::vector<Examined> ExamineAll(
    const std::vector<tools::Sstable>& sstables,
    const std::function<void()>& meanwhile = [] {}) {
  std::vector<Examined> examined;
  tools::ExamineJob job;
  auto next = sstables.begin();
  job.next = [&]() -> std::optional<tools::Sstable> {
    if (next == sstables.end()) {
      meanwhile();
      return std::nullopt;
    }
    return *next++;
  };
  job.done = [&](const Examined& one) { examined.push_back(one); };
  tools::ExamineAll(job);
  return examined;
}

class ExamineAllTest : public ::testing::Test {
 protected:
  ExamineAllTest() : dir_(FolderInMemory()), one_(Write("1")) {
    listed_ = FindSstables({dir_.path()});
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
  fs::resize_file(one_.Path("Filter.db"), 0);
  const auto listed = FindSstables({dir_.path()});
  EXPECT_EQ(ExamineAll(listed).at(0).verdict(), Check::kEmpty);
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

// What is left of an SSTable that was removed is named, and is no damage. A
// node of ScyllaDB does not start with it.
TEST_F(ExamineAllTest, OnlyOtherFilesAreLeft) {
  fs::remove(one_.Path("Data.db"));
  EXPECT_EQ(Examine().verdict(), Check::kKeysUnreadable);
  fs::remove(one_.Path("Index.db"));
  EXPECT_EQ(Examine().verdict(), Check::kLeftOver);
  EXPECT_EQ(Examine().worst(), Harm::kNone);
  WriteFile(one_.Path("Scylla.db"), std::string(4, '\0'));
  EXPECT_EQ(Examine().worst(), Harm::kRefused);
}

// Cassandra 5.0 writes a missing filter in place when it starts.
TEST_F(ExamineAllTest, AFilterThatIsBeingWritten) {
  const std::string filter = ReadFile(one_.Path("Filter.db"));
  const auto look_at = [&](size_t size_at_first, size_t size_then) {
    WriteFile(one_.Path("Filter.db"), filter.substr(0, size_at_first));
    return ExamineAll(listed_, [&] {
      WriteFile(one_.Path("Filter.db"), filter.substr(0, size_then));
    });
  };
  for (const size_t size : {size_t{0}, size_t{4}, filter.size() - 8}) {
    const Examined whole = look_at(size, filter.size()).at(0);
    EXPECT_EQ(whole.sstable.state, SstableState::kLive);
    EXPECT_EQ(whole.verdict(), Check::kOk);
    EXPECT_EQ(look_at(size, filter.size() - 4).at(0).sstable.state,
              SstableState::kBeingWritten);
  }
  // Nobody writes it any more.
  WriteFile(one_.Path("Filter.db"), filter.substr(0, 12));
  EXPECT_EQ(Examine().verdict(), Check::kTruncated);
}

// A compaction never removes Data.db alone, and waiting is for all of them at
// once: one after another, 50 SSTables would take 10 seconds. A folder in
// another one is given by the path of a link, too.
TEST_F(ExamineAllTest, DataIsMissing) {
  for (int i = 2; i <= 50; ++i) {
    Write(std::to_string(i));
  }
  const TempDir other;
  fs::copy(dir_.path(), other / "sub");
  fs::create_directory_symlink("sub", other / "link");
  const auto listed = FindSstables({dir_.path(), other / "link"});
  ASSERT_EQ(listed.size(), 100U);
  for (const tools::Sstable& sstable : listed) {
    fs::remove(sstable.Path("Data.db"));
  }
  for (const Examined& examined : ExamineAll(listed)) {
    EXPECT_EQ(examined.sstable.state, SstableState::kLive);
    EXPECT_EQ(examined.verdict(), Check::kKeysUnreadable);
  }
}

// Index.db is damaged, and Filter.db is good. The damage must not look like a
// key that the filter lacks. The token of the wrong key fits into the order of
// "bob", "carol" and "alice". So only a comparison with the key in Data.db
// shows it. (sstable_checks_test.cc tests other damage, and every version.)
TEST_F(ExamineAllTest, ADamagedIndex) {
  ASSERT_EQ(one_.keys[1], "carol");
  std::string damaged = ReadFile(one_.Path("Index.db"));
  damaged.replace(damaged.find("carol"), 5, "yarol");
  WriteFile(one_.Path("Index.db"), damaged);
  const Examined examined = Examine();
  EXPECT_TRUE(examined.has(Check::kKeysUnreadable));
  EXPECT_THAT(examined.ReasonToLeave(),
              HasSubstr("another key than at position"));
  EXPECT_THAT(examined.ReasonToLeave(), HasSubstr("(nodetool scrub)"));
  EXPECT_EQ(examined.action(), tools::Action::kLeave);
  // A later doubt removes no finding.
  EXPECT_EQ(examined.verdict(), Check::kKeysMissing);
  EXPECT_EQ(examined.num_missing, 1U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
