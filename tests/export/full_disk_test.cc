// SPDX-License-Identifier: Apache-2.0

// On a full disk, an export must not leave a part of a Filter.db.

#include <string>

#include "tests/export/export_fixture.h"
#include "tests/support/file_size_limit.h"

namespace cassandra_bloom::testing {
namespace {

class FullDiskTest : public ExportTest,
                     public ::testing::WithParamInterface<ExportFrom> {
 protected:
  FullDiskTest() {
    options_.from = GetParam();
    AddFiles(1);
  }

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
      ASSERT_EQ(Filters(), Names()) << limit;
    }
  }
  EXPECT_EQ(ReadFile(out_ / "filter"), whole);
}

TEST_P(FullDiskTest, ADatabaseAndOnceMore) {
  AddFile(&db_, 1000, 3000);
  db_.Close();
  {
    const FileSizeLimit full(2000);  // In bytes. Enough for one filter.
    EXPECT_FALSE(Sync(options_));
  }
  EXPECT_EQ(report_.exported.size(), 1u);
  EXPECT_EQ(report_.errors.size(), 1u);
  EXPECT_EQ(Filters().size(), 1u);
  EXPECT_TRUE(Sync(options_)) << error_;
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
