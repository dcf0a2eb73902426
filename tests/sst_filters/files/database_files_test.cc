// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on missing, broken, moved and unlisted files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>

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

std::string Numbered(const std::string& folder, const char* number) {
  return folder + "/" + number + ".sst";
}

std::string OnlyFinding(const Json& findings, bool fault) {
  if (findings.size() != 1) {
    ADD_FAILURE() << findings;
    return "";
  }
  EXPECT_EQ(findings[0]["fault"], fault);
  return findings[0].dump();
}

TEST(DoctorMissingTest, OneSst) {
  FilledDb db(DbOptions(OurPolicy()), 3);
  db.Close();
  const std::string missing = SstsIn(db.path())[1];
  fs::remove(missing);
  const Ran ran = Exits(1, Doctor(db));
  const Json verdict = VerdictOf(ran);
  ExpectFiles(verdict, {{"good", 2}, {"missing", 1}});
  ASSERT_EQ(verdict["findings"].size(), 1);
  EXPECT_THAT(OnlyFinding(verdict["findings"], true),
              HasSubstr("missing, though the MANIFEST names it"));
  EXPECT_EQ(verdict["findings"][0]["files"], Json({missing}));
  EXPECT_NEAR(FalsePositives(verdict), 2 * 0.008, 0.005);
  const Ran text = Exits(1, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("(missing)"));
  EXPECT_THAT(text.out, HasSubstr("SST files: 2 with our filter, 1 missing\n"));
  EXPECT_THAT(text.out, HasSubstr("(1 SST file: " +
                                  fs::path(missing).filename().string()));
  EXPECT_THAT(text.out, HasSubstr("there are faults"));
}

TEST(DoctorMissingTest, EverySst) {
  FilledDb db(DbOptions(OurPolicy()), 2);
  db.Close();
  for (const std::string& sst : SstsIn(db.path())) {
    fs::remove(sst);
  }
  const Ran ran = Exits(1, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"missing", 2}});
  EXPECT_EQ(FalsePositives(VerdictOf(ran)), 0);
}

TEST(DoctorMissingTest, AnEmptyDatabaseHasNoSsts) {
  TestDb db(DbOptions(OurPolicy()));
  EXPECT_EQ(Doctor(db).exit_code, 0);
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("the database has no SST files"));
  EXPECT_THAT(text.out, Not(HasSubstr("every SST file")));
  AddFile(&db, 0, 10);
  EXPECT_THAT(Doctor(db, "").out, HasSubstr("every SST file has our filter"));
}

// A compaction may remove files that sst_filters doctor has already listed.
// Such a missing file must not be a fault.
TEST(DoctorRunningTest, CompactionsAreNoFault) {
  FilledDb db;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (uint32_t i = 1; !stop; ++i) {
      AddFile(&db, 1000 * (i % 9), 1000 * (i % 9) + 1000);
      if (i % 3 == 0) {
        db.Compact();
      }
    }
  });
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(Exits(0, SstFilters("doctor --json --db=" + db.path()))
                  .json()["in_use"],
              true);
  }
  stop = true;
  writer.join();
}

class DoctorPathsTest : public ::testing::Test {
 protected:
  DoctorPathsTest() : db_(DbOptions(OurPolicy())) {}

  std::string Paths() const {
    return "--db-path=" + second_.path() + " --db-path=" + first_.path() + " ";
  }
  // Without the --db-path options, sst_filters doctor must report missing
  // files. With these options, it must find all files.
  void ExpectNeedsPaths(int count, const std::string& what) {
    const Ran without = Exits(1, Doctor(db_));
    EXPECT_GT(VerdictOf(without)["files"]["missing"], 0);
    const std::string finding =
        OnlyFinding(VerdictOf(without)["findings"], true);
    EXPECT_THAT(finding, HasSubstr(what));
    EXPECT_THAT(finding, HasSubstr("(--db-path)"));
    const Ran with = Exits(0, Doctor(db_, Paths() + "--json"));
    ExpectFiles(VerdictOf(with), {{"good", count}});
    // These are the same folders in other spellings.
    EXPECT_EQ(Doctor(db_, Paths() + "--db-path=" + db_.path() +
                              "/. --db-path=" + first_.path() + "// --json")
                  .json()["unlisted_ssts"],
              Json::array());

    const TempDir out;
    const std::string to = " --sstable-version=nb --out-dir=" + out.path();
    const Ran no_export =
        Exits(2, SstFilters("export --db=" + db_.path() + to));
    EXPECT_THAT(no_export.err, HasSubstr(what));
    EXPECT_THAT(no_export.err, HasSubstr("name every folder of its SST"));
    Exits(0,
          SstFilters("export --force --db=" + db_.path() + " " + Paths() + to));
    EXPECT_EQ(NamesIn(out.path()).size(), static_cast<size_t>(count));
  }

  TestDb db_;
  const TempDir first_;
  const TempDir second_;
};

TEST_F(DoctorPathsTest, TheDatabaseIsTheFirst) {
  rocksdb::Options options = db_.options();
  options.db_paths = {{db_.path(), 1}, {second_.path(), uint64_t{1} << 40}};
  db_.Reopen(options);
  AddFile(&db_, 0, 1000);
  rocksdb::CompactRangeOptions compact;
  compact.target_path_id = 1;
  compact.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  Require(db_->CompactRange(compact, nullptr, nullptr));
  AddFile(&db_, 1000, 2000);
  ASSERT_EQ(SstsIn(db_.path()).size(), 1);
  ASSERT_EQ(SstsIn(second_.path()).size(), 1);
  ExpectNeedsPaths(2, "in another folder than the database");
}

TEST_F(DoctorPathsTest, TheDatabaseIsNoneOfThem) {
  rocksdb::Options options = db_.options();
  options.db_paths = {{first_.path(), 1}, {second_.path(), uint64_t{1} << 40}};
  db_.Reopen(options);
  AddFile(&db_, 0, 1000);
  AddFile(&db_, 1000, 2000);
  ASSERT_EQ(SstsIn(first_.path()).size(), 2);
  ExpectNeedsPaths(2, "missing, though the MANIFEST names it");
}

TEST_F(DoctorPathsTest, OfAColumnFamily) {
  AddFile(&db_, 0, 1000);
  rocksdb::ColumnFamilyOptions options(db_.options());
  options.cf_paths = {{first_.path(), uint64_t{1} << 40}};
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Require(db_->CreateColumnFamily(options, "other", &other));
  for (const auto& [key, value] : NumberedRows(0, 1000)) {
    Require(db_->Put(rocksdb::WriteOptions(), other, key, value));
  }
  Require(db_->Flush(rocksdb::FlushOptions(), other));
  ASSERT_EQ(SstsIn(first_.path()).size(), 1);
  const Ran without = Exits(1, Doctor(db_));
  Json family = without.json()["column_families"][1];
  ExpectFiles(family["verdict"], {{"missing", 1}});
  EXPECT_THAT(OnlyFinding(family["verdict"]["findings"], true),
              HasSubstr("cf_paths"));
  const Ran with = Exits(0, Doctor(db_, Paths() + "--json"));
  ExpectFiles(with.json()["column_families"][1]["verdict"], {{"good", 1}});
  Require(db_->DestroyColumnFamilyHandle(other));
}

// A folder may have another file of the same number, from an old copy or
// another database. sst_filters doctor must use the file that has the right
// size.
TEST_F(DoctorPathsTest, TheFileOfTheRightSizeIsTaken) {
  AddFile(&db_, 0, 1000);
  db_.Close();
  const std::string sst = SstsIn(db_.path()).at(0);
  const std::string name = fs::path(sst).filename();
  WriteFile(second_ / name, "an old one");
  EXPECT_EQ(Doctor(db_, Paths()).exit_code, 0);
  fs::rename(sst, first_ / name);
  WriteFile(sst, "an old one");
  const Ran ran = Exits(0, Doctor(db_, Paths() + "--json"));
  EXPECT_EQ(ran.json()["column_families"][0]["ssts"][0]["file"], first_ / name);
  EXPECT_EQ(ran.json()["unlisted_ssts"].get<std::set<std::string>>(),
            (std::set<std::string>{sst, second_ / name}));

  fs::remove(first_ / name);
  const Ran wrong = Exits(1, Doctor(db_, Paths() + "--json"));
  ExpectFiles(VerdictOf(wrong), {{"unreadable", 1}});
  EXPECT_THAT(OnlyFinding(VerdictOf(wrong)["findings"], true),
              HasSubstr("has 10 bytes, but "));
}

TEST_F(DoctorPathsTest, MustBeAFolder) {
  const TempDir out;
  WriteFile(first_ / "file", "");
  for (const std::string& command :
       {std::string("doctor"),
        "export --sstable-version=nb --out-dir=" + out.path()}) {
    for (const std::string& path : {first_ / "none", first_ / "file"}) {
      EXPECT_THAT(Exits(2, SstFilters(command + " --db=" + db_.path() +
                                      " --db-path=" + path))
                      .err,
                  HasSubstr(path + ": is not a folder"));
    }
  }
}

class DoctorManifestTest : public ::testing::Test {
 protected:
  DoctorManifestTest() : db_(DbOptions(OurPolicy())) {
    for (uint32_t i = 0; i < 3; ++i) {
      AddFile(&db_, 1000 * i, 1000 * i + 1000);
    }
    db_.Compact();
    AddFile(&db_, 0, 1000);
    AddFile(&db_, 0, 1000);
    db_.Close();
    manifest_ = ManifestOf(db_.path());
    content_ = ReadFile(manifest_);
  }

  void Cut(size_t size) const {
    WriteFile(manifest_, content_.substr(0, size));
  }

  TestDb db_;
  std::string manifest_;
  std::string content_;
};

TEST_F(DoctorManifestTest, CutInHalf) {
  EXPECT_EQ(Doctor(db_).exit_code, 0);
  Cut(content_.size() / 2);
  const Ran ran = Exits(1, Doctor(db_));
  Json json = ran.json();
  EXPECT_EQ(json["fault"], true);
  EXPECT_EQ(json["in_use"], false);
  EXPECT_EQ(json["manifest"]["file"], manifest_);
  EXPECT_EQ(json["manifest"]["torn"], true);
  ASSERT_EQ(json["findings"].size(), 1);
  EXPECT_THAT(json["findings"][0]["what"],
              HasSubstr("ends in the middle of a record"));
  EXPECT_THAT(json["findings"][0]["to_do"],
              HasSubstr("copy the folder of the database before"));
  const Ran text = Exits(1, Doctor(db_, ""));
  EXPECT_THAT(text.out, HasSubstr("fault: " + manifest_ + ": ends in"));
  EXPECT_THAT(text.out, HasSubstr("there are faults"));
}

// Cuts the MANIFEST at many places. If sst_filters doctor succeeds and finds no
// fault, the MANIFEST must still name all files.
TEST_F(DoctorManifestTest, CutAnywhere) {
  const auto files_of = [](const Ran& ran) {
    std::set<std::string> files;
    const Json json = ran.json();
    for (const Json& sst : json["column_families"][0]["ssts"]) {
      files.insert(sst["file"].get<std::string>());
    }
    return files;
  };
  const auto all = files_of(Doctor(db_));
  ASSERT_EQ(all.size(), 3);
  int good = 0;
  int faults = 0;
  for (size_t size = 0; size < content_.size(); size += 19) {
    Cut(size);
    const Ran ran = SstFilters("doctor --json --db=" + db_.path());
    SCOPED_TRACE(size);
    if (ran.exit_code == 0) {
      EXPECT_EQ(files_of(ran), all) << ran;
      ++good;
    } else if (ran.exit_code == 1) {
      EXPECT_FALSE(ran.json()["findings"].empty() &&
                   VerdictOf(ran)["findings"].empty());
      ++faults;
    } else {
      EXPECT_EQ(ran.exit_code, 2);
      EXPECT_THAT(ran.err, HasSubstr("cannot be opened"));
    }
  }
  EXPECT_GT(faults, 20);
  EXPECT_LT(good, 5);
}

// RocksDB writes a MANIFEST in blocks of 32 KB. The MANIFEST of this test is
// longer than one block.
TEST_F(DoctorManifestTest, BlocksOfRecords) {
  for (uint32_t i = 0; i < 8; ++i) {
    db_.Reopen();
    // These keys make records of 40 KB, which are split into two blocks.
    Require(db_->Put(rocksdb::WriteOptions(), std::string(20000, 'a'), ""));
    Require(db_->Put(rocksdb::WriteOptions(), std::string(20000, 'b'), ""));
    db_.Flush();
    AddFile(&db_, 0, 1000);
    db_.Close();
    Exits(0, Doctor(db_));
    const std::string manifest = ManifestOf(db_.path());
    const std::string content = ReadFile(manifest);
    ASSERT_GT(content.size(), 32768);
    for (const size_t size : {size_t{32768 + 10}, size_t{32768}}) {
      WriteFile(manifest, content.substr(0, size));
      EXPECT_NE(Doctor(db_).exit_code, 0) << i << " " << size;
    }
    WriteFile(manifest, content);
  }
}

TEST(DoctorRunningTest, UnlistedFilesAreNoFault) {
  FilledDb db(DbOptions(OurPolicy()), 2);
  std::unique_ptr<rocksdb::Iterator> reader(
      db->NewIterator(rocksdb::ReadOptions()));
  reader->SeekToFirst();
  db.Compact();
  ASSERT_EQ(SstsIn(db.path()).size(), 3);
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_EQ(ran.json()["in_use"], true);
  EXPECT_EQ(ran.json()["unlisted_ssts"].size(), 2);
  EXPECT_EQ(ran.json()["findings"], Json::array());
  // The copy stands for a file that a running compaction has written.
  fs::copy(SstsIn(db.path()).at(0), Numbered(db.path(), "900000"));
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("in no listing: 3. The database is in use"));
  EXPECT_THAT(text.out, HasSubstr("all is well"));
  reader.reset();
}

class DoctorUnlistedTest : public ::testing::Test {
 protected:
  DoctorUnlistedTest() : db_(DbOptions(OurPolicy())) {
    AddFile(&db_, 0, 1000);
    db_.Compact();
    sst_ = OnlySst(db_);
    db_.Close();
  }

  TestDb db_;
  std::string sst_;
};

TEST_F(DoctorUnlistedTest, ANewerOne) {
  fs::copy(sst_, Numbered(db_.path(), "900000"));
  const Ran ran = Exits(1, Doctor(db_));
  EXPECT_EQ(ran.json()["in_use"], false);
  EXPECT_EQ(ran.json()["unlisted_ssts"],
            Json({Numbered(db_.path(), "900000")}));
  EXPECT_THAT(OnlyFinding(ran.json()["findings"], true),
              HasSubstr("the MANIFEST has lost its end"));
  const Ran text = Doctor(db_, "");
  EXPECT_THAT(text.out, HasSubstr("(1 SST file: 900000.sst)"));
}

TEST_F(DoctorUnlistedTest, AnOlderOneAndAHalfOne) {
  const std::string content = ReadFile(sst_);
  WriteFile(Numbered(db_.path(), "900000"),
            content.substr(0, content.size() / 2));
  WriteFile(Numbered(db_.path(), "900001"), "");
  fs::copy(sst_, Numbered(db_.path(), "000001"));
  const Ran ran = Exits(0, Doctor(db_));
  EXPECT_EQ(ran.json()["unlisted_ssts"].size(), 3);
  EXPECT_THAT(OnlyFinding(ran.json()["findings"], false),
              HasSubstr("a process that was killed leaves such files"));
  db_.Reopen();
  EXPECT_EQ(Doctor(db_).json()["unlisted_ssts"], Json::array());
}

TEST(DoctorUnreadableTest, TheOthersAreShown) {
  FilledDb db(DbOptions(OurPolicy()), 3);
  db.Close();
  const std::string sst = SstsIn(db.path())[1];
  const std::string content = ReadFile(sst);
  const std::string bad[] = {std::string(content.size(), 'x'),
                             content.substr(0, content.size() - 1), ""};
  for (const std::string& instead : bad) {
    SCOPED_TRACE(instead.size());
    WriteFile(sst, instead);
    const Ran ran = Exits(1, Doctor(db));
    ExpectFiles(VerdictOf(ran), {{"good", 2}, {"unreadable", 1}});
    const Json findings = VerdictOf(ran)["findings"];
    EXPECT_THAT(OnlyFinding(findings, true), HasSubstr("unreadable: it "));
    EXPECT_EQ(findings[0]["files"], Json({sst}));
    const Json ssts = ran.json()["column_families"][0]["ssts"];
    EXPECT_THAT(ssts[1].value("reason", ""),
                HasSubstr(instead.size() == content.size()
                              ? "cannot be read as a block-based SST file: "
                                "Corruption"
                              : " bytes, but "));
    const Ran text = Exits(1, Doctor(db, ""));
    EXPECT_THAT(text.out, HasSubstr("(unreadable)"));
    EXPECT_THAT(text.out,
                HasSubstr("2 with our filter, 1 that cannot be read"));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
