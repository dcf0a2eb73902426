// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on databases that are written to, and on one with
// many files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/support/rocksdb/dataset.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

// Compactions remove files while doctor examines them.
TEST(DoctorRunningDatabaseTest, WithCompactions) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 16 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  TestDb db(options);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (uint32_t i = 0; !stop; ++i) {
      Require(db->Put({}, NumberedKey(i * 7919 % 1000000), "value"));
    }
  });
  for (int i = 0; i < 5; ++i) {
    const Ran ran = SstFilters("doctor --json --db=" + db.path());
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_EQ(ran.err, "");
  }
  stop = true;
  writer.join();
}

// No level is left out: of a level of few files, most are in the sample.
TEST(DoctorRunningDatabaseTest, ManyFilesAreSampled) {
  constexpr uint32_t kFew = 22;
  constexpr uint32_t kMany = 3150;
  rocksdb::Options options = DbOptions(OurPolicy());
  options.max_open_files = 500;  // A user may open 1024, unless told otherwise.
  TestDb db(options);
  rocksdb::ColumnFamilyHandle* many = nullptr;
  Require(db->CreateColumnFamily(db.options(), "many", &many));
  const TempDir dir;
  std::vector<rocksdb::IngestExternalFileArg> args(2);
  args[0].column_family = db->DefaultColumnFamily();
  args[1].column_family = many;
  for (uint32_t i = 0; i < kFew + kMany; ++i) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db.options());
    const std::string file = dir / std::to_string(i) + ".sst";
    Require(writer.Open(file));
    for (uint32_t key = 0; key < 10; ++key) {
      Require(writer.Put(NumberedKey(10 * i + key), ""));
    }
    Require(writer.Finish());
    args[i < kFew ? 0 : 1].external_files.push_back(file);
  }
  Require(db->IngestExternalFiles(args));
  Require(db->DestroyColumnFamilyHandle(many));
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_EQ(AllOf(ran)["files"], kFew);
  EXPECT_GE(FamilyOf(ran)["ssts"].size(), 18U);
  const Json family = ran.json()["column_families"][1];
  const size_t examined = family["ssts"].size();
  EXPECT_LT(examined, 2100U);
  EXPECT_GT(examined, 1900U);
  // The sums are those of the whole database.
  EXPECT_EQ(AllOf(family)["files"], kMany);
  EXPECT_EQ(AllOf(family)["asked_by_get"], kMany);
  EXPECT_EQ(AllOf(family)["keys"], 10 * kMany);
  // A key is looked up in one of these files, as they are of one level.
  EXPECT_LT(AllOf(family)["false_positives"], 0.1);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("this is from a sample of " + std::to_string(examined) +
                        " SST files\n"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
