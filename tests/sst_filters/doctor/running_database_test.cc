// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on databases that are written to, and on one with
// many files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <atomic>
#include <cmath>
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

// A database of small SST files, whose numbers this test chooses.
class IngestedDb : public TestDb {
 public:
  IngestedDb() : TestDb(DbOptions(OurPolicy())) {
    Require(get()->CreateColumnFamily(options(), "many", &many_));
  }
  ~IngestedDb() { Require(get()->DestroyColumnFamilyHandle(many_)); }

  // The file of the default column family gets the next number, and the others
  // those that follow.
  void Ingest(uint32_t of_default, uint32_t of_many) {
    std::vector<rocksdb::IngestExternalFileArg> args;
    if (of_default > 0) {
      args.push_back(ArgOf(get()->DefaultColumnFamily(), of_default));
    }
    args.push_back(ArgOf(many_, of_many));
    Require(get()->IngestExternalFiles(args));
  }

  uint64_t LastNumber() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    get()->GetLiveFilesMetaData(&files);
    uint64_t last = 0;
    for (const rocksdb::LiveFileMetaData& file : files) {
      last = std::max(last, file.file_number);
    }
    return last;
  }

 private:
  rocksdb::IngestExternalFileArg ArgOf(rocksdb::ColumnFamilyHandle* family,
                                       uint32_t files) {
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = family;
    for (; files > 0; --files, ++written_) {
      rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options());
      arg.external_files.push_back(dir_ / std::to_string(written_) + ".sst");
      Require(writer.Open(arg.external_files.back()));
      for (uint32_t key = 0; key < 10; ++key) {
        Require(writer.Put(NumberedKey(10 * written_ + key), ""));
      }
      Require(writer.Finish());
    }
    return arg;
  }

  const TempDir dir_;
  rocksdb::ColumnFamilyHandle* many_ = nullptr;
  uint32_t written_ = 0;
};

// No level is left out. If the sample were chosen by the product of a file's
// number with the golden ratio, these numbers would all be outside of it,
// because 144 is a Fibonacci number.
TEST(DoctorRunningDatabaseTest, ManyFilesAreSampled) {
  constexpr uint32_t kDistance = 144;
  constexpr uint32_t kFew = 22;
  IngestedDb db;
  uint32_t many = 0;
  double product = 0;
  do {
    db.Ingest(0, 1);
    ++many;
    product = std::fmod(
        static_cast<double>(db.LastNumber() + 1) * 0.61803398874989485, 1);
  } while (product < 0.75 || product > 0.95);
  for (uint32_t i = 0; i < kFew; ++i) {
    db.Ingest(1, kDistance - 1);
    many += kDistance - 1;
  }
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_EQ(AllOf(ran)["files"], kFew);
  const Json family = ran.json()["column_families"][1];
  const size_t examined = family["ssts"].size();
  EXPECT_LT(examined, 2100U);
  EXPECT_GT(examined, 1900U);
  // The sums are those of the whole database.
  EXPECT_EQ(AllOf(family)["files"], many);
  EXPECT_EQ(AllOf(family)["asked_by_get"], many);
  EXPECT_EQ(AllOf(family)["keys"], 10 * many);
  // A key is looked up in one of these files, as they are of one level.
  EXPECT_LT(AllOf(family)["false_positives"], 0.1);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("this is from a sample of " + std::to_string(examined) +
                        " SST files\n"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
