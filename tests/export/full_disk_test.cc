// SPDX-License-Identifier: Apache-2.0

// If the disk has no room for all of a Filter.db, the export fails and leaves
// no file.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cassandra_bloom/filter_db_export.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

class FullDiskTest : public ::testing::TestWithParam<ExportFrom> {
 protected:
  FullDiskTest() : db_(DbOptions(OurPolicy())) {
    options_.from = GetParam();
    db_.Put(NumberedRows(0, 1000));
    db_.Flush();
  }

  const TempDir out_;
  TestDb db_;
  FilterDbExportOptions options_;
};

TEST_P(FullDiskTest, OneFile) {
  const std::string sst = OnlySst(db_);
  const std::string whole = Exported(sst, options_);
  db_.Close();  // The database's own writes must not fail.
  for (size_t limit = 0; limit <= whole.size(); ++limit) {
    ExportedFilterDb exported;
    std::string error;
    bool done = false;
    {
      const FileSizeLimit full(limit);
      done = ExportFilterDb(sst, out_ / "filter", options_, &exported, &error);
    }
    ASSERT_EQ(done, limit == whole.size()) << limit << " bytes: " << error;
    if (!done) {
      ASSERT_NE(error.find(out_ / "filter"), std::string::npos) << error;
      ASSERT_EQ(NamesIn(out_.path()), std::set<std::string>()) << limit;
    }
  }
  EXPECT_EQ(ReadFile(out_ / "filter"), whole);
}

TEST_P(FullDiskTest, ADatabaseAndOnceMore) {
  db_.Put(NumberedRows(1000, 3000));
  db_.Flush();
  db_.Close();
  FilterDbExportReport report;
  std::string error;
  const auto export_all = [&] {
    return ExportFilterDbs(db_.path(), "", out_.path(), /*sync=*/true, options_,
                           &report, &error);
  };
  {
    const FileSizeLimit full(2000);  // Enough for one of the two filters.
    EXPECT_FALSE(export_all());
  }
  EXPECT_EQ(report.exported.size(), 1u);
  EXPECT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(NamesIn(out_.path()).size(), 1u);
  EXPECT_TRUE(export_all()) << error;
  db_.Reopen();
  ExpectFiltersAreTheirs(db_, out_.path());
}

INSTANTIATE_TEST_SUITE_P(All, FullDiskTest,
                         ::testing::Values(ExportFrom::kBlock,
                                           ExportFrom::kKeys),
                         [](const auto& test) {
                           return test.param == ExportFrom::kBlock ? "Block"
                                                                   : "Keys";
                         });

}  // namespace
}  // namespace cassandra_bloom::testing
