// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on databases with several column families.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DoctorFamiliesTest : public ::testing::Test {
 protected:
  DoctorFamiliesTest() : db_(DbOptions(OurPolicy())) { AddFile(&db_, 0, 1000); }
  ~DoctorFamiliesTest() override {
    for (auto* const family : families_) {
      db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
    }
  }

  void Create(const std::string& name, const rocksdb::Options& options) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    Require(db_->CreateColumnFamily(rocksdb::ColumnFamilyOptions(options), name,
                                    &family));
    families_.push_back(family);
    Require(db_->Put(rocksdb::WriteOptions(), family, "key", "value"));
    Require(db_->Flush(rocksdb::FlushOptions(), family));
  }

  TestDb db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

TEST_F(DoctorFamiliesTest, SomeAreLeftOut) {
  Create("meta", DbOptions(nullptr));
  Create("rows", DbOptions(OurPolicy()));
  const Ran all = Exits(1, Doctor(db_));
  EXPECT_EQ(all.json()["left_out"], Json::array());
  EXPECT_THAT(
      all.json()["column_families"][1]["verdict"]["findings"][0]["to_do"],
      HasSubstr("name the other column families (--column-family)"));

  const std::string two = "--column-family=rows --column-family=default ";
  const Ran some = Exits(0, Doctor(db_, two + "--json"));
  EXPECT_EQ(some.json()["left_out"], Json({"meta"}));
  EXPECT_EQ(some.json()["unlisted_ssts"], Json::array());
  ASSERT_EQ(some.json()["column_families"].size(), 2);
  EXPECT_EQ(some.json()["column_families"][1]["name"], "rows");
  const Ran text = Doctor(db_, two);
  EXPECT_THAT(text.out,
              HasSubstr("column family meta: left out (--column-family)\n"));
  EXPECT_THAT(text.out,
              HasSubstr("all is well in the column families that were "
                        "examined: every SST file has our filter\n"));

  EXPECT_EQ(Doctor(db_, "--column-family=meta").exit_code, 1);
  const Ran none = Exits(2, Doctor(db_, "--column-family=met"));
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("has no column family 'met'; it has "
                                  "'default' 'meta' 'rows'"));
}

// RocksDB writes a new column family into the MANIFEST before it writes the
// OPTIONS file. sst_filters doctor must wait for the OPTIONS file.
TEST_F(DoctorFamiliesTest, OnesThatAreBeingCreated) {
  std::atomic<bool> stop{false};
  std::thread creator([&] {
    for (int i = 0; !stop && i < 200; ++i) {
      Create("family" + std::to_string(i), DbOptions(OurPolicy()));
    }
  });
  for (int i = 0; i < 15; ++i) {
    Exits(0, SstFilters("doctor --db=" + db_.path()));
  }
  stop = true;
  creator.join();
}

// The name of a column family must not fake lines of the report, or send
// commands to the terminal.
TEST_F(DoctorFamiliesTest, NamesAreShownSafely) {
  const std::string name = "x\nall is well\x1b[2J: #\\'\"";
  Create(name, DbOptions(OurPolicy()));
  const Ran ran = Exits(0, Doctor(db_, ""));
  EXPECT_THAT(
      ran.out,
      HasSubstr("column family x\\x0aall is well\\x1b[2J: #\\\\'\": on"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(Doctor(db_).json()["column_families"][1]["name"], name);
  const Ran left_out = Doctor(db_, "--column-family=default");
  EXPECT_THAT(left_out.out, HasSubstr("x\\x0aall is well"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
