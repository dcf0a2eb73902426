// SPDX-License-Identifier: Apache-2.0

// An export must keep a filter only for the SST file from which the filter was
// made. Another SST file may have the same number.

#include <rocksdb/utilities/checkpoint.h>

#include <filesystem>
#include <memory>
#include <string>

#include "plugin/export/folder/folder_mark.h"
#include "tests/export/export_fixture.h"
#include "tests/support/rocksdb/two_histories.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

class StaleFilterTest : public ExportTest,
                        public ::testing::WithParamInterface<std::string> {
 protected:
  void ExpectSync(size_t exported, size_t kept) {
    ASSERT_TRUE(Sync(ForVersion(GetParam()))) << error_;
    EXPECT_THAT(report_.exported, SizeIs(exported));
    EXPECT_THAT(report_.kept, SizeIs(kept));
    EXPECT_EQ(Filters(), LiveFilterNames(db_, GetParam()));
    ExpectFiltersAreTheirs(db_, out_.path(), GetParam());
  }

  std::string Mark() const { return ReadFile(FolderMarkPath(out_.path())); }
  void WriteMark(const std::string& text) const {
    WriteFile(FolderMarkPath(out_.path()), text);
  }

  // Adds a file while a listener exports. Then closes the database, which waits
  // for the listener, and checks the filters.
  void AddFileAndFollow(uint32_t first) {
    Listen(GetParam());
    listener_.reset();
    AddFile(&db_, first, first + 100);
    EXPECT_TRUE(Eventually(
        [&] { return Filters() == LiveFilterNames(db_, GetParam()); }));
    db_.Close();
    Open({});
    ExpectFiltersAreTheirs(db_, out_.path(), GetParam());
  }

  TwoHistories histories_{&db_};
};

TEST_P(StaleFilterTest, SyncAfterTheDatabaseWasReplaced) {
  ExpectSync(2, 0);
  histories_.Swap();
  ExpectSync(1, 1);  // Both databases have the first file.
  ExpectSync(0, 2);
}

TEST_P(StaleFilterTest, TheListenerAfterTheDatabaseWasReplaced) {
  AddFileAndFollow(5000);
  histories_.Swap();
  AddFileAndFollow(6000);
}

// Simulates a .cassandra_bloom_database of an earlier version of this library.
// That version did not record the SST file of each filter.
TEST_P(StaleFilterTest, AMarkWithoutFilters) {
  ExpectSync(2, 0);
  histories_.Swap();
  std::string mark = Mark();
  mark.erase(mark.find("\n" + GetParam() + "-") + 1);
  WriteMark(mark);
  ExpectSync(2, 0);
  ExpectSync(0, 2);
}

// An export of the second database was killed. It had written the filters, but
// had not recorded them. Then the first database is exported again.
TEST_P(StaleFilterTest, KilledBeforeTheMark) {
  ExpectSync(2, 0);
  const std::string mark = Mark();
  histories_.Swap();
  ExpectSync(1, 1);
  WriteMark(mark);
  histories_.Swap();
  ExpectSync(1, 1);
}

TEST_P(StaleFilterTest, FiltersThatChangedPlaces) {
  ExpectSync(2, 0);
  const Names names = Filters();
  const std::string first = out_ / *names.begin();
  const std::string second = out_ / *names.rbegin();
  fs::rename(first, out_ / "first");
  fs::rename(second, first);
  fs::rename(out_ / "first", second);
  ExpectSync(2, 0);
}

// A checkpoint makes hard links, which change the ctime of the SST files.
TEST_P(StaleFilterTest, ACheckpointLeavesTheFilters) {
  ExpectSync(2, 0);
  rocksdb::Checkpoint* checkpoint = nullptr;
  Require(rocksdb::Checkpoint::Create(db_.get(), &checkpoint));
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  const TempDir elsewhere;
  Require(checkpoint->CreateCheckpoint(elsewhere / "checkpoint"));
  ExpectSync(0, 2);
}

// A full disk may leave only the beginning of a line in
// .cassandra_bloom_database. The next line is then appended to this beginning,
// so both lines are lost. At most the two filters of these lines are made
// again.
TEST_P(StaleFilterTest, ALineOfTheMarkThatWasCut) {
  ExpectSync(2, 0);
  WriteMark(Mark() + GetParam() + "-1-big-Filt");
  AddFile(&db_, 7000, 7100);
  ExpectSync(1, 2);
  ExpectSync(1, 2);
  ExpectSync(0, 3);
}

TEST_P(StaleFilterTest, TheMarkDoesNotGrowForever) {
  ExpectSync(2, 0);
  const std::string mark = Mark();
  std::string old = mark;
  for (int i = 0; i < 3000; ++i) {
    old += GetParam() + "-" + std::to_string(1000000 + i) +
           (GetParam() == "da" ? "-bti" : "-big") + "-Filter.db\tX-1\t1.2\n";
  }
  WriteMark(old);
  ExpectSync(0, 2);
  EXPECT_EQ(Mark().size(), mark.size());
  // A listener must also remove the old lines from .cassandra_bloom_database.
  WriteMark(old);
  AddFileAndFollow(5000);
  EXPECT_LT(Mark().size(), 2 * mark.size());
}

INSTANTIATE_TEST_SUITE_P(Versions, StaleFilterTest,
                         ::testing::Values("nb", "da"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cassandra_bloom::testing
