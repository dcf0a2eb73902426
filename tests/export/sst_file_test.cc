// SPDX-License-Identifier: Apache-2.0

// Tests SstFile::identity(), a text that differs for different SST files.

#include "plugin/export/sst_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/database_exporter.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

std::string IdentityOf(const std::string& path) {
  std::string error;
  const auto file = SstFile::Open(path, /*visit=*/nullptr, &error);
  if (file == nullptr) {
    throw std::runtime_error(error);
  }
  return file->identity();
}

// The SST files have no checksums, so that a test can change their properties.
class SstIdentityTest : public ::testing::Test {
 protected:
  static rocksdb::Options Options() {
    auto table_options = TableOptions(OurPolicy());
    table_options.checksum = rocksdb::kNoChecksum;
    return DbOptions(table_options);
  }

  std::string Write(const std::string& name, const std::string& key) const {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), Options());
    Require(writer.Open(dir_ / name));
    Require(writer.Put(key, "value"));
    Require(writer.Finish());
    return dir_ / name;
  }

  // Makes an SST file look as if RocksDB before 6.24 had written it. These
  // files have no session identity.
  static void MakeOld(const std::string& path) {
    // The property name is rocksdb.creating.session.identity. The SST file
    // stores only the end of this name. It does not repeat the beginning, which
    // is the same as in the property name before.
    const std::string name = "session.identity";
    const auto time = fs::last_write_time(path);
    std::string content = ReadFile(path);
    const size_t place = content.find(name);
    ASSERT_NE(place, std::string::npos);
    content[place + name.size() - 1] = 'x';
    WriteFile(path, content);
    fs::last_write_time(path, time);
  }

  const TempDir dir_;
};

TEST_F(SstIdentityTest, ACopyIsTheSameFile) {
  const std::string sst = Write("1.sst", "a");
  fs::copy(sst, dir_ / "2.sst");
  EXPECT_NE(IdentityOf(sst), "");
  EXPECT_EQ(IdentityOf(sst), IdentityOf(dir_ / "2.sst"));
}

TEST_F(SstIdentityTest, FilesOfTheSameRowsAreTwo) {
  EXPECT_NE(IdentityOf(Write("1.sst", "a")), IdentityOf(Write("2.sst", "a")));
  TestDb db(Options());
  AddFile(&db, 0, 10);
  AddFile(&db, 0, 10);
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_NE(IdentityOf(db.path() + files[0].name),
            IdentityOf(db.path() + files[1].name));
}

TEST_F(SstIdentityTest, FilesWithoutASession) {
  const std::string a = Write("1.sst", "a");
  const std::string b = Write("2.sst", "b");
  const std::string with_session = IdentityOf(a);
  fs::last_write_time(b, fs::last_write_time(a));
  MakeOld(a);
  MakeOld(b);
  fs::copy(a, dir_ / "3.sst");
  fs::last_write_time(dir_ / "3.sst", fs::last_write_time(a));
  EXPECT_NE(IdentityOf(a), "");
  EXPECT_NE(IdentityOf(a), with_session);
  EXPECT_EQ(IdentityOf(a), IdentityOf(dir_ / "3.sst"));
  // `a` and `b` have the same size and time, but different keys.
  EXPECT_EQ(fs::file_size(a), fs::file_size(b));
  EXPECT_EQ(fs::last_write_time(a), fs::last_write_time(b));
  EXPECT_NE(IdentityOf(a), IdentityOf(b));
}

// Lets this process open only one more file while the object exists.
class OneMoreFile {
 public:
  OneMoreFile() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    close(next);
    const struct rlimit limit = {static_cast<rlim_t>(next) + 1,
                                 before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~OneMoreFile() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  struct rlimit before_ {};
};

// RocksDB opens the SST file, but then identity() cannot open it a second time.
TEST_F(SstIdentityTest, AFileThatCannotBeReadIsNotTheRecordedOne) {
  const std::string sst = Write("1.sst", "a");
  MakeOld(sst);
  const std::string name = "nb-1-big-Filter.db";
  ExportedFilterDb exported;
  std::string error;
  ASSERT_TRUE(ExportFilterDb(sst, dir_ / name, {}, &exported, &error)) << error;
  struct stat status {};
  ASSERT_EQ(stat((dir_ / name).c_str(), &status), 0);
  const std::string written = std::to_string(status.st_mtim.tv_sec) + "." +
                              std::to_string(status.st_mtim.tv_nsec);
  FilterForm form;
  ASSERT_TRUE(FormOfSstableVersion("nb", &form, &error));
  FolderMark mark;
  mark.filters[name] = {IdentityOf(sst), written};
  EXPECT_TRUE(IsUpToDate(mark, dir_ / name, form, sst));
  mark.filters[name].sst = "";
  const OneMoreFile limit;
  EXPECT_EQ(IdentityOf(sst), "");
  EXPECT_FALSE(IsUpToDate(mark, dir_ / name, form, sst));
}

}  // namespace
}  // namespace cassandra_bloom::testing
