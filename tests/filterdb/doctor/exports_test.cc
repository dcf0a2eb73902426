// SPDX-License-Identifier: Apache-2.0

// Tests `filterdb doctor` on databases with an export listener.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/version.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "tests/filterdb/doctor/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/two_histories.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr bool kReadsSeveralListeners = ROCKSDB_MAJOR > 11 ||
                                        (ROCKSDB_MAJOR == 11 &&
                                         ROCKSDB_MINOR >= 8);

class DoctorExportsTest : public ::testing::Test {
 protected:
  DoctorExportsTest() : db_(DbOptions(OurPolicy())) {}

  void Open(const std::vector<std::string>& folders) {
    rocksdb::Options options = db_.options();
    options.listeners.clear();
    for (const std::string& folder : folders) {
      std::string error;
      options.listeners.push_back(
          NewFilterDbExportListener(folder, "nb", &error));
      ASSERT_NE(options.listeners.back(), nullptr) << error;
    }
    db_.Reopen(options);
  }

  void AddFollowed(uint32_t first) {
    AddFile(&db_, first, first + 100);
    EXPECT_TRUE(Eventually([&] { return Follows(folder_, db_); }));
  }

  Ran Doctor(const std::string& options = "") const {
    return Filterdb("doctor --db=" + db_.path() + " " + options);
  }

  std::string SyncCommand() const {
    return "filterdb export --sync --db=" + db_.path() +
           " --out-dir=" + folder_ + " --sstable-version=nb";
  }
  void Sync(const std::string& version = "nb") const {
    Exits(0, Filterdb("export --sync --db=" + db_.path() + " --out-dir=" +
                      folder_ + " --sstable-version=" + version));
  }

  // Expects filterdb doctor to report this finding and no other.
  void ExpectFinding(const std::string& options, bool fault,
                     const std::string& what, const std::string& to_do) const {
    const Ran text = Doctor(options);
    EXPECT_EQ(text.exit_code, fault ? 1 : 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr(what));
    const Ran json = Doctor(options + " --json");
    EXPECT_EQ(json.exit_code, fault ? 1 : 0) << json.err;
    EXPECT_EQ(json.json()["fault"], fault);
    const Json folders = json.json()["exports"];
    ASSERT_EQ(folders.size(), 1) << folders;
    ASSERT_EQ(folders[0]["findings"].size(), 1) << folders;
    const Json finding = folders[0]["findings"][0];
    EXPECT_EQ(finding["fault"], fault);
    EXPECT_THAT(finding["what"], HasSubstr(what));
    EXPECT_THAT(finding["to_do"], HasSubstr(to_do));
  }

  const TempDir out_;
  const std::string folder_ = out_ / "out";
  TestDb db_;
};

TEST_F(DoctorExportsTest, NoneIsThere) {
  AddFile(&db_, 0, 100);
  const Ran ran = Exits(0, Doctor("--json"));
  EXPECT_FALSE(ran.json().contains("exports"));
  EXPECT_THAT(Doctor().out, Not(HasSubstr("export")));
}

TEST_F(DoctorExportsTest, AllIsWell) {
  Open({folder_});
  EXPECT_EQ(Doctor().exit_code,
            0);  // There is no folder before the first SST file.
  AddFollowed(0);
  AddFollowed(100);
  for (const std::string& options :
       {std::string(), "--export-dir=" + folder_ + "/"}) {
    const Ran ran = Exits(0, Doctor(options + " --json"));
    ASSERT_EQ(ran.json()["exports"].size(), 1);
    const Json folder = ran.json()["exports"][0];
    EXPECT_EQ(folder["folder"], folder_);
    EXPECT_EQ(folder["sstable_version"], "nb");
    EXPECT_EQ(folder["listener"], true);
    EXPECT_EQ(folder["live"], 2);
    EXPECT_EQ(folder["filtered"], 2);
    EXPECT_EQ(folder["findings"], Json::array());
  }
  EXPECT_THAT(Doctor().out,
              HasSubstr("export folder " + folder_ +
                        ": with a listener, 2 of 2 SST files have a Filter"));
}

TEST_F(DoctorExportsTest, TwoFolders) {
  Open({folder_, out_ / "second"});
  AddFollowed(0);
  EXPECT_TRUE(Eventually([&] { return Follows(out_ / "second", db_); }));
  EXPECT_EQ(Exits(0, Doctor("--json")).json()["exports"].size(), 2);
}

// RocksDB before 11.8 reads this text as one listener with all the options.
TEST_F(DoctorExportsTest, AListenerThatRocksdbDoesNotRead) {
  Open({folder_});
  AddFollowed(0);
  WriteListeners(db_, "{{id=A;x=1}:cassandra_bloom_export(nb," + folder_ +
                          "):{id=B;x=1}}");
  if (kReadsSeveralListeners) {
    EXPECT_EQ(Doctor().exit_code, 0);
    return;
  }
  ExpectFinding("", /*fault=*/true,
                "names an export listener for " + folder_ +
                    ", but this RocksDB creates none when it reads this text",
                "write listeners={cassandra_bloom_export(nb," + folder_ + ")}");
}

TEST_F(DoctorExportsTest, OnlyTheLastOfTwoIsRead) {
  Open({folder_, out_ / "second"});
  AddFollowed(0);
  EXPECT_TRUE(Eventually([&] { return Follows(out_ / "second", db_); }));
  const auto spelt = [](const std::string& folder) {
    return "{id=cassandra_bloom_export;out_dir=" + folder +
           ";sstable_version=nb}";
  };
  WriteListeners(db_,
                 "{" + spelt(folder_) + ":" + spelt(out_ / "second") + "}");
  const Ran ran = Doctor("--json");
  ASSERT_EQ(ran.json()["exports"].size(), 2);
  EXPECT_EQ(ran.json()["exports"][0]["listener"], kReadsSeveralListeners);
  EXPECT_EQ(ran.json()["exports"][1]["listener"], true);
  EXPECT_EQ(ran.exit_code, kReadsSeveralListeners ? 0 : 1);
}

TEST_F(DoctorExportsTest, AListenerThatIsGone) {
  Open({folder_});
  AddFollowed(0);
  Open({});
  ExpectFinding("", /*fault=*/true,
                "had an export listener for " + folder_ +
                    ", which is marked as that of this database",
                "open the database with listeners={cassandra_bloom_export(nb," +
                    folder_ + ")}");
  fs::remove_all(folder_);
  EXPECT_EQ(Doctor().exit_code, 0);
}

TEST_F(DoctorExportsTest, AListenerThatIsRefused) {
  Open({folder_});
  AddFollowed(0);
  WriteListeners(db_, "{cassandra_bloom_export(nb," + db_.path() + "/out)}");
  ExpectFinding("", /*fault=*/true, "is in the folder of a database",
                "correct listeners=");
}

TEST_F(DoctorExportsTest, OtherListenersAreNotOurs) {
  Open({folder_});
  WriteListeners(db_, "{my_cassandra_bloom_export}");
  EXPECT_EQ(Doctor().exit_code, 0);
}

TEST_F(DoctorExportsTest, ADatabaseThatWasMadeAnew) {
  Open({folder_});
  AddFollowed(0);
  const rocksdb::Options options = db_.options();
  db_.Close();
  Require(rocksdb::DestroyDB(db_.path(), options));
  db_.Reopen(options);
  AddFile(&db_, 0, 100);
  const std::string mark = folder_ + "/.cassandra_bloom_database";
  ExpectFinding("", /*fault=*/true, "is marked as that of another database",
                "remove " + mark + " and have all filters made anew: " +
                    SyncCommand() + " --force");
  fs::remove(mark);
  ExpectFinding("", /*fault=*/true, "has filters that no export recorded",
                "take this one over: " + SyncCommand() + " --force");
  EXPECT_EQ(Filterdb(SyncCommand().substr(9)).exit_code, 2);
  EXPECT_EQ(Filterdb(SyncCommand().substr(9) + " --force").exit_code, 0);
  EXPECT_EQ(Doctor().exit_code, 0);
  AddFile(&db_, 100, 200);
  EXPECT_TRUE(Eventually([&] { return Follows(folder_, db_); }));
  EXPECT_EQ(Doctor().exit_code, 0);
}

TEST_F(DoctorExportsTest, AFolderThatIsNotThere) {
  Open({out_ / "late/out"});
  AddFile(&db_, 0, 100);
  ExpectFinding("", /*fault=*/true, "is not there, or not marked",
                "make sure that it can be created");
}

TEST_F(DoctorExportsTest, FiltersThatAreMissing) {
  Open({folder_});
  AddFollowed(0);
  AddFollowed(100);
  fs::remove(folder_ + "/" + *NamesIn(folder_).begin());
  ExpectFinding("", /*fault=*/true, "without an up-to-date Filter.db",
                SyncCommand());
}

// The database is replaced by another one. An SST file of the new database has
// the number of an old SST file, but other keys. The old file's filter must not
// count as the filter of the new file.
TEST_F(DoctorExportsTest, FiltersOfOtherSstFiles) {
  TwoHistories histories(&db_);
  const std::string option = "--export-dir=" + folder_;
  Sync();
  EXPECT_EQ(Doctor(option).exit_code, 0);
  histories.Swap();
  const Ran ran = Exits(1, Doctor(option + " --json"));
  EXPECT_EQ(ran.json()["exports"][0]["live"], 2);
  EXPECT_EQ(ran.json()["exports"][0]["filtered"], 1);
  EXPECT_THAT(Doctor(option).out,
              HasSubstr("the mark of the folder does not say that it was made "
                        "from this SST file"));
  Sync();
  EXPECT_EQ(Doctor(option).exit_code, 0);
}

TEST_F(DoctorExportsTest, AFolderOfOtherContents) {
  AddFile(&db_, 0, 100);
  FilterDbExportOptions options;
  options.partition_key = "fixed:8";
  FilterDbExportReport report;
  std::string error;
  ASSERT_TRUE(ExportFilterDbs(db_.path(), "", folder_, /*sync=*/true, options,
                              &report, &error))
      << error;
  Open({folder_});
  ExpectFinding("", /*fault=*/true,
                "holds filters made with partition_key=fixed:8",
                "give the listener another folder, or have all filters made "
                "anew: " +
                    SyncCommand() + " --force");
}

// The folder has a record of its exported filters, but only for SSTable version
// me.
TEST_F(DoctorExportsTest, FiltersThatNoExportRecorded) {
  AddFile(&db_, 0, 100);
  Sync("me");
  WriteFile(folder_ + "/nb-7-big-Filter.db", "made by hand");
  Open({folder_});
  ExpectFinding("", /*fault=*/true,
                "has filters that no export recorded as its own, such as "
                "nb-7-big-Filter.db",
                "take this one over: " + SyncCommand() + " --force");
}

TEST_F(DoctorExportsTest, AFolderThatNoListenerFeeds) {
  AddFile(&db_, 0, 100);
  const std::string option = "--export-dir=" + folder_;
  EXPECT_EQ(Doctor(option).exit_code, 1);
  Sync("me");
  ExpectFinding(option, /*fault=*/false,
                "has no export listener for " + folder_ + " and version me",
                "run filterdb export --sync");
  AddFile(&db_, 100, 200);
  const Ran ran = Exits(1, Doctor(option + " --json"));
  EXPECT_EQ(ran.json()["exports"][0]["live"], 2);
  EXPECT_EQ(ran.json()["exports"][0]["filtered"], 1);
}

// Earlier builds of filterdb wrote no SSTable versions into
// .cassandra_bloom_database.
TEST_F(DoctorExportsTest, AMarkThatNamesNoVersion) {
  AddFile(&db_, 0, 100);
  Sync();
  const std::string mark = folder_ + "/.cassandra_bloom_database";
  const std::string text = ReadFile(mark);
  WriteFile(mark, text.substr(0, text.find('\n') + 1));
  WriteFile(folder_ + "/" + *NamesIn(folder_).begin(), "broken");
  const std::string option = "--export-dir=" + folder_;
  const Ran ran = Exits(1, Doctor(option + " --json"));
  const Json finding = ran.json()["exports"][0]["findings"][0];
  EXPECT_THAT(finding["what"], HasSubstr("the mark does not say of which "
                                         "version its filters are"));
  const std::string advice = finding["to_do"];
  EXPECT_THAT(advice, EndsWith("--sstable-version=VERSION"));
  Sync();
  EXPECT_EQ(Doctor(option).exit_code, 0);
}

// Runs the advised command in a shell. The paths have blanks, quotes and a `$`.
TEST_F(DoctorExportsTest, TheAdviceHasTheOptionsOfTheFolder) {
  rocksdb::Options with_prefixes = DbOptions(OurPolicy());
  with_prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  db_.Reopen(with_prefixes);
  AddFile(&db_, 0, 100);
  AddFile(&db_, 100, 200);
  db_.Close();
  const std::string ssts = out_ / "its $HOME";
  fs::create_directory(ssts);
  for (const std::string& name : NamesIn(db_.path())) {
    if (fs::path(name).extension() == ".sst") {
      fs::rename(db_.path() + "/" + name, ssts + "/" + name);
      break;
    }
  }
  int folders = 0;
  for (const std::string& options :
       {std::string(), std::string("--prefixes"),
        std::string("--partition-key=skip:1,fixed:4 --from=keys "
                    "--live-keys-only")}) {
    SCOPED_TRACE(options);
    const std::string name = "it's; " + std::to_string(++folders);
    const std::string folder = out_ / name;
    const std::string quoted = "\"" + folder + "\"";
    const std::string paths = "--db-path='" + ssts + "' ";
    const Ran sync =
        Filterdb("export --sync --sstable-version=nb --db=" + db_.path() +
                 " --out-dir=" + quoted + " " + paths + options);
    ASSERT_EQ(sync.exit_code, 0) << sync;
    fs::remove(folder + "/" + *NamesIn(folder).begin());
    const std::string doctor = paths + "--export-dir=" + quoted;
    const Ran ran = Exits(1, Doctor(doctor + " --json"));
    const std::string advice = ran.json()["exports"][0]["findings"][0]["to_do"];
    EXPECT_THAT(Exits(0, Filterdb(advice.substr(std::strlen("filterdb ")))).out,
                HasSubstr(": kept"));
    EXPECT_EQ(Doctor(doctor).exit_code, 0);
  }
}

TEST_F(DoctorExportsTest, ADatabaseWhosePathHasANewline) {
  AddFile(&db_, 0, 100);
  db_.Close();
  const std::string db = out_ / "a\nb";
  fs::copy(db_.path(), db);
  ASSERT_EQ(Filterdb("export --sync --sstable-version=nb --db='" + db +
                     "' --out-dir=" + folder_)
                .exit_code,
            0);
  Exits(0, Filterdb("doctor --db='" + db + "' --export-dir=" + folder_));
}

// A listener updates only the filters of its own SSTable version, here nb.
TEST_F(DoctorExportsTest, AFolderOfTwoVersions) {
  Open({folder_});
  AddFollowed(0);
  Sync("me");
  AddFile(&db_, 100, 200);
  EXPECT_TRUE(Eventually([&] { return NamesIn(folder_).size() == 3; }));
  EXPECT_EQ(Doctor().exit_code, 0);
  const Ran ran = Exits(1, Doctor("--json --export-dir=" + folder_));
  const Json folders = ran.json()["exports"];
  ASSERT_EQ(folders.size(), 2) << folders;
  EXPECT_EQ(folders[0]["sstable_version"], "nb");
  EXPECT_EQ(folders[0]["filtered"], 2);
  EXPECT_EQ(folders[1]["sstable_version"], "me");
  EXPECT_EQ(folders[1]["filtered"], 1);
}

}  // namespace
}  // namespace cassandra_bloom::testing
