// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/export_database.h"

#include <rocksdb/convenience.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/export/export_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

class ExportDatabaseTest : public ExportTest {
 protected:
  bool Export(const std::string& column_family = "",
              const ExportOptions& options = {}) {
    error_.clear();
    return ExportDatabase({db_.path(), {}, column_family}, out_.path(), options,
                          &report_, &error_);
  }
};

TEST_F(ExportDatabaseTest, ChangesNothingInTheDatabase) {
  AddFiles(3);
  // These rows are only in the write-ahead log.
  db_.Put(NumberedRows(next_, next_ + 1000));
  // RocksDB removes this file when it opens a database. An export must not
  // remove the file.
  WriteFile(db_.path() + "/000999.sst.trash", "trash");
  // RocksDB must not remove an old log between the two calls of StateOf.
  rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  const auto before = StateOf(db_.path());
  ASSERT_TRUE(Export()) << error_;
  EXPECT_EQ(StateOf(db_.path()), before) << "while it is in use";
  EXPECT_THAT(report_.exported, SizeIs(3));
  EXPECT_EQ(Filters(), Live());
  ASSERT_TRUE(Reconcile()) << error_;  // The open database says the same.
  EXPECT_THAT(report_.kept, SizeIs(3));
  db_.Close();
  const auto closed = StateOf(db_.path());
  ASSERT_TRUE(Export()) << error_;
  EXPECT_THAT(report_.kept, SizeIs(3));
  EXPECT_EQ(StateOf(db_.path()), closed);
  db_.Reopen(db_.options());
  EXPECT_FALSE(fs::exists(db_.path() + "/000999.sst.trash"));
}

TEST_F(ExportDatabaseTest, ColumnFamilies) {
  AddFiles(1);
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", db_.options(), NumberedRows(5000, 6000));
  ASSERT_TRUE(Export()) << error_;
  EXPECT_THAT(report_.exported, SizeIs(2));
  ASSERT_TRUE(Export("default")) << error_;
  EXPECT_THAT(report_.kept, SizeIs(1));
  EXPECT_THAT(report_.removed, SizeIs(1));
  EXPECT_FALSE(Export("none"));
  EXPECT_THAT(error_, HasSubstr("has no column family 'none'; it has 'default' "
                                "'other'"));
  Require(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(ExportDatabaseTest, WhileItIsWrittenToAndReconciled) {
  std::atomic<bool> stop{false};
  AddFiles(2);
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      AddFiles(1);
      if (i % 4 == 3) {
        db_.Compact();
      }
    }
  });
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(i % 2 == 0 ? Export() : Reconcile())
        << error_ << report_.errors.size();
  }
  stop = true;
  writer.join();
  ASSERT_TRUE(Export()) << error_;
  EXPECT_EQ(Filters(), Live());
}

TEST_F(ExportDatabaseTest, Refusals) {
  AddFiles(1);
  const TempDir empty;
  WriteFile(empty / "file", "");
  const struct {
    std::string db;
    std::string out;
    std::string version;
    const char* message;
  } refusals[] = {
      {db_.path(), "", "nb", "has no name"},
      {db_.path(), empty / "file", "nb", "is no folder"},
      {db_.path(), empty / "no/out", "nb", "cannot be created"},
      {db_.path(), out_.path(), "na-and-later", "need an SSTable version"},
      {empty.path(), empty / "out", "nb", "cannot be opened as a RocksDB"},
      {"", empty / "out", "nb", "cannot be opened as a RocksDB"},
  };
  for (const auto& refusal : refusals) {
    ExportOptions options;
    options.sstable_version = refusal.version;
    EXPECT_FALSE(ExportDatabase({refusal.db, {}, ""}, refusal.out, options,
                                &report_, &error_));
    EXPECT_THAT(error_, HasSubstr(refusal.message));
  }
  EXPECT_EQ(Filters(), Names());
  EXPECT_EQ(NamesIn(empty.path()), Names{"file"});
}

}  // namespace
}  // namespace cassandra_bloom::testing
