// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

using ::cassandra_bloom::testing::AddFile;
using ::cassandra_bloom::testing::DbOptions;
using ::cassandra_bloom::testing::ManifestOf;
using ::cassandra_bloom::testing::OurPolicy;
using ::cassandra_bloom::testing::ReadFile;
using ::cassandra_bloom::testing::SstsIn;
using ::cassandra_bloom::testing::TempDir;
using ::cassandra_bloom::testing::TestDb;

// Reads the MANIFEST of a database with removed SST files, blob files and a
// dropped column family. The folder still has all SST files, because deletions
// are disabled.
class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() : db_(Options()) {
    testing::Require(db_->DisableFileDeletions());
    rocksdb::ColumnFamilyHandle* family = nullptr;
    testing::Require(db_->CreateColumnFamily(Options(), "other", &family));
    for (uint32_t i = 0; i < 3; ++i) {
      AddFile(&db_, 1000 * i, 1000 * i + 1000);
      testing::Require(db_->Put(rocksdb::WriteOptions(), family,
                                std::string(20000, 'a'), "value"));
      testing::Require(db_->Flush(rocksdb::FlushOptions(), family));
      db_.Compact();
    }
    testing::Require(db_->DropColumnFamily(family));
    testing::Require(db_->DestroyColumnFamilyHandle(family));
    db_.Close();
    manifest_ = ManifestOf(db_.path());
    for (const std::string& sst : SstsIn(db_.path())) {
      all_.insert(std::stoull(std::filesystem::path(sst).stem()));
    }
  }

  static rocksdb::Options Options() {
    rocksdb::Options options = DbOptions(OurPolicy());
    options.enable_blob_files = true;
    options.enable_blob_garbage_collection = true;
    return options;
  }

  TestDb db_;
  std::string manifest_;
  std::set<uint64_t> all_;
};

TEST_F(ManifestTest, HasAddedEveryFile) {
  EXPECT_GE(all_.size(), 8);
  EXPECT_EQ(FilesAddedBy(manifest_), all_);
  EXPECT_FALSE(EndsInARecord(manifest_));
}

TEST_F(ManifestTest, ACutOneHasAddedFewer) {
  const TempDir dir;
  const std::string content = ReadFile(manifest_);
  std::set<uint64_t> before;
  for (size_t size = 0; size < content.size(); size += 97) {
    testing::WriteFile(dir / "cut", content.substr(0, size));
    const std::set<uint64_t> added = FilesAddedBy(dir / "cut");
    EXPECT_TRUE(std::includes(added.begin(), added.end(), before.begin(),
                              before.end()));
    EXPECT_TRUE(
        std::includes(all_.begin(), all_.end(), added.begin(), added.end()));
    before = added;
  }
  EXPECT_FALSE(before.empty());
}

TEST_F(ManifestTest, DamagedOnesAreRead) {
  const TempDir dir;
  const std::string content = ReadFile(manifest_);
  const uint64_t seed = testing::Seed();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = content;
    for (int flips = 0; flips < 5; ++flips) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    testing::WriteFile(dir / "damaged", damaged);
    FilesAddedBy(dir / "damaged");  // Must not crash.
    EndsInARecord(dir / "damaged");
  }
  EXPECT_TRUE(FilesAddedBy(dir / "none").empty());
  EXPECT_TRUE(FilesAddedBy(dir.path()).empty());
}

}  // namespace
}  // namespace cassandra_bloom::tools
