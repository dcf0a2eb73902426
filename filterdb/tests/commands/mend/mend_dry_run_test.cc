// SPDX-License-Identifier: Apache-2.0

// "filterdb mend --dry-run" must predict what mend does, even if mend fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MendDryRunTest : public MendFixture {
 protected:
  // Runs filterdb mend with --dry-run and then without, and expects the same
  // outcome. `before` is shell text before the command.
  void ExpectSame(const std::string& options, const std::string& outcome,
                  const std::string& before = "") const {
    SCOPED_TRACE(options);
    const std::string command = "mend --json " + options + " " + dir_ / "ks";
    const auto names = dir_.Names();
    const Ran dry_run = Filterdb(command + " --dry-run", before);
    EXPECT_EQ(dir_.Names(), names);
    const Ran real = Filterdb(command, before);
    EXPECT_EQ(dry_run.exit_code, real.exit_code) << dry_run << real;
    EXPECT_EQ(dry_run.err, real.err);
    EXPECT_EQ(dry_run.json()["sstables"][0]["outcome"], outcome) << dry_run;
    EXPECT_EQ(dry_run.json()["sstables"][0]["reason"],
              real.json()["sstables"][0]["reason"]);
  }
};

TEST_F(MendDryRunTest, FilesInTheWay) {
  const WrittenSstable one = WriteFaulty();
  WriteFile(one.Path("Filter.db.bak"), "earlier");
  ExpectSame("--in-place", "left");
  WriteFile(dir_ / "file", "");
  ExpectSame("--in-place --backup-dir=" + dir_ / "file", "failed");
  fs::create_directories(dir_ / "out/t1");
  WriteFile(dir_ / "out/t1/nb-1-big-Filter.db", "earlier");
  ExpectSame("--out-dir=" + dir_ / "out", "failed");
  ExpectSame("--out-dir=" + dir_ / "file", "failed");
}

TEST_F(MendDryRunTest, ATocThatIsALink) {
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  fs::rename(one.Path("TOC.txt"), dir_ / "elsewhere");
  fs::create_symlink(dir_ / "elsewhere", one.Path("TOC.txt"));
  ExpectSame("--in-place", "left");
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
}

// On some hosts, Data.db and Index.db are links to files on other disks.
// filterdb mend must leave such an SSTable as it is.
TEST_F(MendDryRunTest, OtherFilesThatAreLinks) {
  for (const std::string component : {"Data.db", "Index.db"}) {
    const WrittenSstable one = WriteFaulty();
    const auto move = [&] {
      fs::rename(one.Path(component), dir_ / "elsewhere");
      fs::create_symlink(dir_ / "elsewhere", one.Path(component));
    };
    move();
    ExpectSame("--in-place", "left");
    ExpectSame("--in-place --backup-dir=" + dir_ / "old", "left");
    fs::remove(one.Path(component));
    fs::remove(dir_ / "elsewhere");
  }
  SstableSpec spec;
  spec.fault = FilterFault::kMissing;
  const WrittenSstable one = Write(spec);
  fs::remove(one.Path("Filter.db"));
  fs::rename(one.Path("Data.db"), dir_ / "elsewhere");
  fs::create_symlink(dir_ / "elsewhere", one.Path("Data.db"));
  ExpectSame("--in-place --no-backup", "left");
}

TEST_F(MendDryRunTest, FoldersThatCannotBeWrittenTo) {
  WriteFaulty();
  fs::create_directories(dir_ / "closed");
  for (const std::string folder : {"ks/t1", "closed"}) {
    fs::permissions(dir_ / folder,
                    fs::perms::owner_read | fs::perms::owner_exec);
  }
  // Root may write to any folder, unless the capability CAP_DAC_OVERRIDE is
  // taken away.
  const std::string before =
      geteuid() == 0 ? "setpriv --bounding-set=-dac_override" : "";
  ExpectSame("--in-place", "failed", before);
  ExpectSame("--out-dir=" + dir_ / "closed/out", "failed", before);
  fs::permissions(dir_ / "ks/t1", fs::perms::owner_all);
  ExpectSame("--in-place --backup-dir=" + dir_ / "closed", "failed", before);
  fs::permissions(dir_ / "closed", fs::perms::owner_all);
}

// The new filter must get the owner of the old filter. In this test, filterdb
// mend is not allowed to set this owner.
TEST_F(MendDryRunTest, AnotherUser) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can make files of another user";
  }
  const WrittenSstable one = WriteFaulty();
  fs::permissions(dir_.path(), fs::perms::all);
  fs::permissions(dir_ / "ks", fs::perms::all);
  fs::permissions(dir_ / "ks/t1", fs::perms::all);
  ExpectSame("--in-place", "failed",
             "setpriv --reuid=12345 --regid=23456 --clear-groups");
  ASSERT_EQ(chown(one.Path("Filter.db").c_str(), 12345, 23456), 0);
  ExpectSame("--in-place", "failed", "setpriv --bounding-set=-chown");
}

TEST_F(MendDryRunTest, TwoPathsThatMeet) {
  SstableSpec spec;
  spec.fault = FilterFault::kBitsCleared;
  Write(spec, "ks/t1");
  Write(spec, "other/t1");
  const std::string options = dir_ / "ks" + " --out-dir=" + dir_ / "out ";
  const Ran dry_run =
      Filterdb("mend --json --dry-run " + options + dir_ / "other");
  const Ran real = Filterdb("mend --json " + options + dir_ / "other");
  for (const Ran& ran : {dry_run, real}) {
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_EQ(ran.json()["total"]["failed"], 1);
    EXPECT_THAT(ran.err, HasSubstr("goes there, too"));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
