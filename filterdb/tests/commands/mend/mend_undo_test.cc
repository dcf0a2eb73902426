// SPDX-License-Identifier: Apache-2.0

// Tests the backups of "filterdb mend", and "filterdb mend --undo".

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MendUndoTest : public MendFixture {
 protected:
  MendUndoTest()
      : one_(WriteFaultyWithPlan(0.001)), filter_(one_.Path("Filter.db")) {
    before_ = ReadFile(filter_);
  }

  WrittenSstable WriteFaultyWithPlan(double fp_chance) {
    SstableSpec spec;
    spec.fault = FilterFault::kBitsCleared;
    spec.fp_chance = fp_chance;
    return Write(spec);
  }

  std::string Filter() const { return ReadFile(filter_); }

  void Damage() const {
    std::string damaged = Filter();
    std::fill(damaged.begin() + 8, damaged.end() - 8, '\0');
    WriteFile(filter_, damaged);
  }

  // Mends a filter a second time. The first mend used another --fp-chance,
  // which made the filter worse than planned.
  void MendAgain(const std::string& options) const {
    const std::string mended = Filter();
    EXPECT_EQ(Mend("--in-place " + options).exit_code, 0);
    EXPECT_NE(Filter(), mended);
    EXPECT_EQ(Scan().exit_code, 0);
  }

  // Returns the path at which filterdb mend keeps the old filter. `option` is a
  // --backup-dir option, or empty.
  std::string Kept(const std::string& option) const {
    const std::string folder = "--backup-dir=";
    return option.empty() ? filter_ + ".bak"
                          : option.substr(folder.size()) + "/" +
                                fs::canonical(filter_).relative_path().string();
  }

  const WrittenSstable one_;
  const std::string filter_;
  std::string before_;
  const TempDir backup_;
  const std::vector<std::string> both_ = {"", "--backup-dir=" + backup_.path()};
};

TEST_F(MendUndoTest, Beside) {
  const auto names = dir_.Names();
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  EXPECT_EQ(ReadFile(filter_ + ".bak"), before_);
  const Ran ran = Mend("--undo");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_THAT(ran.out, HasSubstr("1 put back"));
  EXPECT_EQ(Filter(), before_);
  EXPECT_EQ(dir_.Names(), names);
  EXPECT_THAT(Mend("--undo").out, HasSubstr("0 put back"));
}

// Cassandra links the record of filterdb mend into snapshots, like the files of
// the SSTable. A user may link only its own files. So the record must have the
// owner of the SSTable.
TEST_F(MendUndoTest, RecordHasTheOwnerAndTheModeOfTheSstable) {
  const std::string data = one_.Path("Data.db");
  ASSERT_EQ(chmod(data.c_str(), 0640), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(data.c_str(), 12345, 23456), 0);
  }
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const struct stat record = StatusOf(filter_ + ".bak.record");
  const struct stat of_data = StatusOf(data);
  EXPECT_EQ(record.st_mode, of_data.st_mode);
  EXPECT_EQ(record.st_uid, of_data.st_uid);
  EXPECT_EQ(record.st_gid, of_data.st_gid);
}

TEST_F(MendUndoTest, NoBackup) {
  const auto names = dir_.Names();
  EXPECT_EQ(Mend("--in-place --no-backup").exit_code, 0);
  EXPECT_EQ(dir_.Names(), names);
  const Ran ran = Mend("--undo --no-backup");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("--no-backup"));
}

TEST_F(MendUndoTest, BackupDir) {
  const auto names = dir_.Names();
  const std::string option = "--backup-dir=" + backup_.path();
  const struct stat status = StatusOf(filter_);
  EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
  EXPECT_EQ(dir_.Names(), names);
  const std::string kept = backup_ / fs::canonical(filter_).relative_path();
  EXPECT_EQ(ReadFile(kept), before_);
  EXPECT_THAT(Mend("--undo").out,
              AllOf(HasSubstr("0 put back"), HasSubstr("give it to --undo")));
  EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
  EXPECT_EQ(Filter(), before_);
  EXPECT_EQ(StatusOf(filter_).st_mode, status.st_mode);
  EXPECT_TRUE(fs::is_empty(fs::path(kept).parent_path()));
  EXPECT_EQ(Mend("--undo " + option).out, "0 put back\n");
}

// If --backup-dir names a wrong folder, --undo must not say that there is
// nothing to undo.
TEST_F(MendUndoTest, ABackupDirThatIsNotThere) {
  WriteFile(dir_ / "file", "");
  for (const std::string folder : {"nope", "file"}) {
    for (const std::string more : {"", "--json "}) {
      const Ran ran = Mend("--undo " + more + "--backup-dir=" + dir_ / folder);
      EXPECT_EQ(ran.exit_code, 2) << ran;
      EXPECT_THAT(ran.err, HasSubstr(dir_ / folder + ": "));
      EXPECT_THAT(ran.err, HasSubstr("give the --backup-dir"));
    }
  }
}

// A backup folder contains each backup under the full path of the old filter.
// In this test, the data directory has moved, so these paths have changed.
TEST_F(MendUndoTest, ABackupDirWithoutBackupsOfPath) {
  const std::string undo = "mend --undo ";
  const std::string option = "--backup-dir=" + backup_.path() + " ";
  EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
  const std::string mended = Filter();
  fs::rename(dir_ / "ks", dir_ / "moved");
  fs::create_directory_symlink("moved", dir_ / "link");
  const std::string said = backup_.path() + " holds no backups of " +
                           fs::canonical(dir_ / "moved").string();
  const Ran ran = Filterdb(undo + option + dir_ / "link");
  EXPECT_EQ(ran.exit_code, 1) << ran;
  EXPECT_THAT(ran.out, HasSubstr("0 put back\n" + said + "\n"));
  const Ran json = Filterdb(undo + "--json " + option + dir_ / "link");
  EXPECT_EQ(json.exit_code, 1) << json;
  EXPECT_EQ(json.json()["no_backups"], Json::array({said}));
  EXPECT_EQ(ReadFile(dir_ / "moved/t1/nb-1-big-Filter.db"), mended);
  fs::rename(dir_ / "moved", dir_ / "ks");
  const Ran undone = Mend("--undo " + option);
  EXPECT_EQ(undone.exit_code, 0) << undone;
  EXPECT_THAT(undone.out, HasSubstr("1 put back\nFilters that were made where "
                                    "there was none"));
  EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
}

// filterdb mend refuses a backup folder below PATH, because later scans would
// read the backups as SSTables.
TEST_F(MendUndoTest, ABackupDirBelowPath) {
  fs::create_directory_symlink("ks", dir_ / "link");
  const auto names = dir_.Names();
  for (const std::string folder : {"ks", "ks/t1/old", "link/new/old"}) {
    for (const std::string action : {"--dry-run", "--in-place"}) {
      const Ran ran = Mend(action + " --backup-dir=" + dir_ / folder);
      EXPECT_EQ(ran.exit_code, 2) << ran;
      EXPECT_THAT(ran.err, HasSubstr("is below PATH"));
    }
  }
  EXPECT_EQ(Filterdb("mend --in-place --backup-dir=" + dir_ / "ks/t1/old " +
                     one_.Path("Data.db"))
                .exit_code,
            2);
  EXPECT_EQ(Filterdb("mend --in-place --backup-dir=old .",
                     "cd " + dir_ / "ks" + " &&")
                .exit_code,
            2);
  EXPECT_EQ(dir_.Names(), names);
  EXPECT_EQ(Mend("--in-place --backup-dir=" + dir_ / "ks_old").exit_code, 0);
}

TEST_F(MendUndoTest, OfTwoMends) {
  for (const std::string& option : both_) {
    EXPECT_EQ(Mend("--in-place --fp-chance=0.01 " + option).exit_code, 0);
    MendAgain(option);
    EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
    EXPECT_EQ(Filter(), before_);
  }
}

// ---- Backups and filters that no mend has recorded ----

TEST_F(MendUndoTest, ABackupWithoutARecordIsLeft) {
  const std::string beside = filter_ + ".bak";
  const std::string elsewhere =
      backup_ / fs::canonical(filter_).relative_path();
  fs::create_directories(fs::path(elsewhere).parent_path());
  // This file has no record that says that filterdb mend made it.
  WriteFile(elsewhere, before_);
  WriteFile(beside, "earlier");
  for (const std::string& option : both_) {
    for (const std::string action : {"--undo ", "--dry-run ", "--in-place "}) {
      ExpectLeft(action + option, "no mend has recorded this file");
      EXPECT_EQ(ReadFile(elsewhere), before_);
    }
  }
}

TEST_F(MendUndoTest, AFileUnderTheNameOfTheRecord) {
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const std::string record = ReadFile(filter_ + ".bak.record");
  EXPECT_EQ(Mend("--undo").exit_code, 0);
  const std::string of_another = "filterdb mend 2\nindex 1 0" +
                                 record.substr(record.find("\nFilter.db old"));
  WriteFile(dir_ / "elsewhere", "something");
  for (const std::string& option : both_) {
    const std::string path = Kept(option) + ".record";
    fs::create_directories(fs::path(path).parent_path());
    for (const std::string action : {"--undo ", "--dry-run ", "--in-place "}) {
      WriteFile(path, "something");
      ExpectLeft(action + option, "not a record of filterdb mend");
      EXPECT_EQ(ReadFile(path), "something");
      WriteFile(path, of_another);
      ExpectLeft(action + option, "is of another SSTable of this name");
      EXPECT_EQ(ReadFile(path), of_another);
      fs::remove(path);
      fs::create_symlink(dir_ / "elsewhere", path);
      ExpectLeft(action + option, "is a symbolic link");
      EXPECT_TRUE(fs::is_symlink(path));
      fs::remove(path);
    }
  }
}

TEST_F(MendUndoTest, ABackupThatIsMissing) {
  const std::string safe = dir_ / "safe";
  for (const std::string& option : both_) {
    EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
    const std::string record = ReadFile(Kept(option) + ".record");
    fs::rename(Kept(option), safe);
    const std::string reason = "its backup " + Kept(option) + " is missing";
    ExpectLeft("--undo " + option, reason);
    const std::string mended = Filter();
    Damage();
    ExpectLeft("--in-place " + option, reason);
    EXPECT_EQ(ReadFile(Kept(option) + ".record"), record);
    WriteFile(filter_, mended);
    fs::rename(safe, Kept(option));
    EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
    EXPECT_EQ(Filter(), before_);
  }
}

// If the backup folder is / or a link to it, the path of a backup is that of
// the filter itself.
TEST_F(MendUndoTest, ABackupDirThatLeadsToTheSstables) {
  fs::create_directory_symlink("/", dir_ / "root");
  const auto names = dir_.Names();
  for (const std::string& folder : {std::string("/"), dir_ / "root"}) {
    for (const std::string action : {"--undo", "--dry-run", "--in-place"}) {
      const Ran ran = Mend(action + " --backup-dir=" + folder);
      EXPECT_EQ(ran.exit_code, 2) << ran;
      EXPECT_THAT(ran.err, HasSubstr("give another --backup-dir"));
      EXPECT_EQ(dir_.Names(), names);
      EXPECT_EQ(Filter(), before_);
    }
  }
}

TEST_F(MendUndoTest, AnotherSstableOfTheSameNumber) {
  for (const std::string& option : both_) {
    EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
    SstableSpec spec;
    spec.keys = {"alice", "bob", "carol"};
    Write(spec);
    ExpectLeft("--undo " + option, "another SSTable of this name");
    spec.fault = FilterFault::kBitsCleared;
    Write(spec);
    ExpectLeft("--in-place " + option, "another SSTable of this name");
    WriteFaulty();
  }
}

TEST_F(MendUndoTest, AnotherSstableWhoseDataDbHasTheSameEnds) {
  SstableSpec spec;
  spec.fault = FilterFault::kBitsCleared;
  spec.keys = NumberedKeys(20000);
  Write(spec);
  const std::string data = ReadFile(one_.Path("Data.db"));
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const auto ends = [](const std::string& bytes) {
    constexpr size_t kEnd = 65536;
    return bytes.substr(0, kEnd) + bytes.substr(bytes.size() - kEnd);
  };
  std::string now;
  // Changes one key, so that only the middle of Data.db differs. Tries several
  // keys, because the hash of a key decides its place in Data.db.
  for (int i = 10000; now.size() != data.size() || ends(now) != ends(data);
       ++i) {
    ASSERT_LT(i, 10050);
    spec.keys = NumberedKeys(20000);
    spec.keys[static_cast<size_t>(i)][0] = 'K';
    Write(spec);
    now = ReadFile(one_.Path("Data.db"));
  }
  ASSERT_NE(now, data);
  ExpectLeft("--in-place", "another SSTable of this name");
  ExpectLeft("--undo", "another SSTable of this name");
}

TEST_F(MendUndoTest, AFilterThatNoMendHasPutThereIsNotReplaced) {
  for (const std::string& option : both_) {
    EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
    const std::string mended = Filter();
    Damage();
    for (const std::string action : {"--dry-run ", "--in-place "}) {
      ExpectLeft(action + option, "has changed since it was mended");
    }
    EXPECT_EQ(ReadFile(Kept(option)), before_);
    fs::remove(filter_);
    EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
    EXPECT_EQ(Filter(), mended);
    EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
    EXPECT_EQ(Filter(), before_);
  }
}

TEST_F(MendUndoTest, AFilterThatWasPutThereSince) {
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const std::string mended = Filter();
  WriteFile(filter_, before_.substr(0, 16));
  ExpectLeft("--undo", "has changed since it was mended");
  WriteFile(filter_, mended);
  EXPECT_EQ(Mend("--undo").exit_code, 0);
}

TEST_F(MendUndoTest, ABackupThatHasChanged) {
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  WriteFile(filter_ + ".bak", "0123456789abcdef");
  ExpectLeft("--undo", "is not the filter that its record names");
}

TEST_F(MendUndoTest, RecordsThatAreNotUnderstood) {
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const std::string record = ReadFile(filter_ + ".bak.record");
  for (const std::string& text :
       {std::string(), std::string("something\n"),
        "filterdb mend 1" + record.substr(record.find('\n')),
        record.substr(0, record.size() - 4)}) {
    WriteFile(filter_ + ".bak.record", text);
    ExpectLeft("--undo", ".bak.record: ");
  }
  WriteFile(filter_ + ".bak.record", record);
  EXPECT_EQ(Mend("--undo").exit_code, 0);
}

// filterdb mend and --undo must not read a whole Filter.db into memory.
TEST_F(MendUndoTest, AHugeFilter) {
#ifdef CASSANDRA_BLOOM_SANITIZED
  const std::string limit;  // The sanitizers need more memory.
#else
  const std::string limit = "ulimit -d 100000;";
#endif
  const std::string option = " --backup-dir=" + backup_.path() + " ";
  constexpr uint64_t kSize = uint64_t{200} << 20;
  fs::resize_file(filter_, kSize);
  const Ran mend =
      Filterdb("mend --in-place --jobs=1" + option + dir_ / "ks", limit);
  EXPECT_EQ(mend.exit_code, 0) << mend;
  EXPECT_LT(fs::file_size(filter_), kSize);
  const Ran undo = Filterdb("mend --undo" + option + dir_ / "ks", limit);
  EXPECT_EQ(undo.exit_code, 0) << undo;
  EXPECT_EQ(fs::file_size(filter_), kSize);
}

TEST_F(MendUndoTest, AFileThatIsTooLargeForAFilterIsNotKept) {
  constexpr uint64_t kMaxSize = 8 + (uint64_t{8} << 31);
  fs::resize_file(filter_, kMaxSize + 1);
  for (const std::string& option : both_) {
    for (const std::string action : {"--dry-run ", "--in-place "}) {
      ExpectLeft(action + option, "more than a filter can have");
    }
  }
  EXPECT_EQ(fs::file_size(filter_), kMaxSize + 1);
  EXPECT_TRUE(fs::is_empty(backup_.path()));
  EXPECT_EQ(Mend("--in-place --no-backup").exit_code, 0);
}

// ---- What killed runs leave ----

// Makes the files that a killed filterdb mend may leave. These are the record,
// and sometimes also the backup.
TEST_F(MendUndoTest, GoesOnAfterAKill) {
  for (const std::string& option : both_) {
    const std::string kept = Kept(option);
    EXPECT_EQ(Mend("--in-place " + option).exit_code, 0);
    const std::string record = ReadFile(kept + ".record");
    EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
    const auto names = dir_.Names();
    for (const std::string action : {"--in-place ", "--undo "}) {
      for (const bool has_kept : {false, true}) {
        SCOPED_TRACE(action + option);
        WriteFile(kept + ".record", record);
        if (has_kept && option.empty()) {
          fs::create_hard_link(filter_, kept);
        } else if (has_kept) {
          WriteFile(kept, before_);
        }
        const Ran ran = Mend(action + option);
        EXPECT_EQ(ran.exit_code, 0) << ran;
        EXPECT_EQ(Mend("--undo " + option).exit_code, 0);
        EXPECT_EQ(Filter(), before_);
        EXPECT_EQ(dir_.Names(), names);
        EXPECT_FALSE(fs::exists(kept));
        EXPECT_FALSE(fs::exists(kept + ".record"));
      }
    }
  }
}

TEST_F(MendUndoTest, RemovesTemporaryFilesFromTheBackupDir) {
  const std::string kept = backup_ / fs::canonical(filter_).relative_path();
  fs::create_directories(fs::path(kept).parent_path());
  const std::string option = "--backup-dir=" + backup_.path();
  for (const std::string action : {"--in-place ", "--undo "}) {
    for (const std::string& name : {kept, kept + ".record"}) {
      WriteFile(name + ".cassandra_bloom-new", "half");
    }
    EXPECT_EQ(Mend(action + option).exit_code, 0);
    for (const std::string& name : backup_.Names()) {
      EXPECT_THAT(name, Not(HasSubstr(".cassandra_bloom-")));
    }
  }
}

// ---- SSTables that other processes use ----

TEST_F(MendUndoTest, AFolderThatIsLocked) {
  const int fd = open((dir_ / "ks/t1").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  ExpectLeft("--in-place", "has locked the folder");
  close(fd);
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
}

TEST_F(MendUndoTest, FilesThatAreInUse) {
  for (const std::string action : {"--in-place", "--undo"}) {
    const int fd = open(one_.Path("Data.db").c_str(), O_RDONLY);
    ExpectLeft(action, "stop the node");
    close(fd);
    EXPECT_EQ(Mend(action).exit_code, 0);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
