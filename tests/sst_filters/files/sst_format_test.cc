// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on SST files that it cannot read or that are not
// live.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/version.h>

#include <filesystem>
#include <string>

#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLost[] = "rows are lost";

// An SST file ends with the format version (4 bytes) and a magic number (8
// bytes).
void SetFormatVersion(const std::string& sst, char version) {
  std::string content = ReadFile(sst);
  content[content.size() - 12] = version;
  WriteFile(sst, content);
}

TEST(DoctorFormatsTest, AFormatVersionThatIsTooNew) {
  FilledDb db;
  const std::string sst = OnlySst(db);
  AddFile(&db, 1000, 2000);
  db.Close();
  SetFormatVersion(sst, 14);
  const Ran ran = Exits(1, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"good", 1}, {"unreadable", 1}});
  const Json finding = VerdictOf(ran)["findings"][0];
  EXPECT_THAT(finding["what"],
              HasSubstr("not examined: its format_version is 14, for which "
                        "RocksDB " +
                        std::to_string(ROCKSDB_MAJOR) + "."));
  EXPECT_THAT(finding["to_do"], HasSubstr("built for the RocksDB that the"));
  EXPECT_THAT(ran.out, Not(HasSubstr(kLost)));
  EXPECT_THAT(Doctor(db, "").out, Not(HasSubstr(kLost)));

  // No release writes version 99, so sst_filters doctor calls the file damaged.
  SetFormatVersion(sst, 99);
  const Ran damaged = Exits(1, Doctor(db));
  EXPECT_THAT(VerdictOf(damaged)["findings"][0]["what"],
              HasSubstr("unreadable: it "));
  EXPECT_THAT(damaged.out, Not(HasSubstr(kLost)));
}

TEST(DoctorFormatsTest, PlainTables) {
  rocksdb::Options options = DbOptions(OurPolicy());
  FilledDb db(options);
  rocksdb::ColumnFamilyOptions plain(options);
  plain.table_factory.reset(rocksdb::NewPlainTableFactory());
  plain.prefix_extractor.reset(rocksdb::NewNoopTransform());
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require(db->CreateColumnFamily(plain, "plain", &family));
  Require(db->Put(rocksdb::WriteOptions(), family, "key", "value"));
  Require(db->Flush(rocksdb::FlushOptions(), family));
  Require(db->DestroyColumnFamilyHandle(family));
  db.Close();
  const Ran ran = Exits(1, Doctor(db));
  EXPECT_THAT(ran.out, Not(HasSubstr(kLost)));
  const Json verdict = ran.json()["column_families"][1]["verdict"];
  ExpectFiles(verdict, {{"unreadable", 1}});
  ASSERT_EQ(verdict["findings"].size(), 2);
  EXPECT_THAT(verdict["findings"][0]["what"],
              HasSubstr("table_factory=PlainTable: only block-based"));
  EXPECT_THAT(verdict["findings"][1]["what"],
              HasSubstr("not examined: its format is PlainTable"));
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("column family plain: off, table_factory=PlainTable"));
  EXPECT_EQ(Doctor(db, "--column-family=default").exit_code, 0);
}

// A database with SST files that are no longer live, because deletions are
// disabled.
class DoctorLeftoversTest : public ::testing::Test {
 protected:
  DoctorLeftoversTest() : db_(DbOptions(OurPolicy())) {
    AddFile(&db_, 0, 1000);
    db_.Compact();
    Require(db_->DisableFileDeletions());
  }

  void ExpectHarmless(size_t count) {
    db_.Close();
    const Ran ran = Exits(0, Doctor(db_));
    EXPECT_EQ(ran.json()["unlisted_ssts"].size(), count);
    const Json findings = ran.json()["findings"];
    ASSERT_EQ(findings.size(), 1);
    EXPECT_THAT(findings[0]["what"], HasSubstr("DisableFileDeletions"));
    EXPECT_THAT(ran.out, Not(HasSubstr(kLost)));
  }

  TestDb db_;
};

TEST_F(DoctorLeftoversTest, ACompactionOfEverything) {
  AddFile(&db_, 2000, 3000);
  const std::string begin = NumberedKey(0);
  const std::string end = NumberedKey(9000);
  Require(db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(),
                           begin, end));
  db_.Flush();
  db_.Compact();
  ExpectHarmless(3);
}

TEST_F(DoctorLeftoversTest, AColumnFamilyThatWasDropped) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require(db_->CreateColumnFamily(db_.options(), "dropped", &family));
  Require(db_->Put(rocksdb::WriteOptions(), family, "key", "value"));
  Require(db_->Flush(rocksdb::FlushOptions(), family));
  Require(db_->DropColumnFamily(family));
  Require(db_->DestroyColumnFamilyHandle(family));
  ExpectHarmless(1);
}

// The MANIFEST was cut before the record that adds the newest SST file.
TEST_F(DoctorLeftoversTest, AManifestThatNeverNamedIt) {
  const std::string path = ManifestOf(db_.path());
  const auto before = fs::file_size(path);
  AddFile(&db_, 2000, 3000);
  db_.Close();
  fs::resize_file(path, before);
  EXPECT_THAT(Exits(1, Doctor(db_)).json()["findings"][0]["what"],
              HasSubstr("the MANIFEST has lost its end"));
}

// The RocksDB of filterdb cannot read the format of the newest file. filterdb
// doctor must report a fault, and must not call the file half-written.
TEST_F(DoctorLeftoversTest, ANewerFileOfAnUnknownFormat) {
  AddFile(&db_, 2000, 3000);
  db_.Close();
  const std::string copy = db_.path() + "/900000.sst";
  fs::copy(SstsIn(db_.path()).at(0), copy);
  SetFormatVersion(copy, 14);
  EXPECT_EQ(Doctor(db_).exit_code, 1);
}

#ifndef CASSANDRA_BLOOM_SANITIZED  // A sanitizer needs memory of its own.
// By default, RocksDB starts 16 threads to open SST files. In this test, each
// thread reserves 250 MB of the allowed 1.5 GB of address space. So not all 16
// threads can start.
TEST(DoctorMemoryTest, FewThreadsAreEnough) {
  FilledDb db;
  db.Close();
  const std::string limits = "ulimit -s 250000; ulimit -v 1500000;";
  Exits(0, SstFilters("doctor --db=" + db.path(), limits));
  const TempDir out;
  for (const char* const option : {"", "--sync --force "}) {
    Exits(0, SstFilters("export --sstable-version=nb --out-dir=" + out.path() +
                            " " + option + "--db=" + db.path(),
                        limits));
  }
}
#endif

}  // namespace
}  // namespace cassandra_bloom::testing
