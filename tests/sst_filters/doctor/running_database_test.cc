// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on databases that are written to, and on one with
// many files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include <atomic>
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

TEST(DoctorRunningDatabaseTest, ManyFilesAreSampled) {
  constexpr uint32_t kFiles = 2500;
  const rocksdb::Options options = DbOptions(OurPolicy());
  TestDb db(options);
  const TempDir dir;
  std::vector<std::string> files;
  for (uint32_t i = 0; i < kFiles; ++i) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    files.push_back(dir / std::to_string(i) + ".sst");
    Require(writer.Open(files.back()));
    for (uint32_t key = 0; key < 10; ++key) {
      Require(writer.Put(NumberedKey(10 * i + key), ""));
    }
    Require(writer.Finish());
  }
  Require(db->IngestExternalFile(files, rocksdb::IngestExternalFileOptions()));
  AddFile(&db, 0, 1000);
  const Ran ran = Exits(0, Doctor(db));
  const Json all = AllOf(ran);
  const size_t examined = FamilyOf(ran)["ssts"].size();
  EXPECT_LT(examined, 2050U);
  EXPECT_GT(examined, 1950U);
  // The sums are those of the whole database.
  EXPECT_EQ(all["files"], kFiles + 1);
  EXPECT_EQ(all["asked_by_get"], kFiles + 1);
  EXPECT_NEAR(all["keys"], 10.0 * kFiles + 1000, 100);
  // A key is looked up in one of the ingested files, as they are of one level.
  EXPECT_LT(all["false_positives"], 0.1);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("this is from a sample of " + std::to_string(examined) +
                        " SST files\n"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
