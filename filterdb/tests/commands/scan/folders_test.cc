// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb scan" on folders that cannot be read, are links, or have
// special names. filterdb must report what it leaves out.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "filterdb/tests/commands/scan/scan_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTable1 = std::string("t1") + kId;
const std::string kTable2 = std::string("t2") + kId;

class FoldersTest : public ScanFixture {
 protected:
  WrittenSstable Write(const std::string& folder,
                       const SstableSpec& spec = {}) {
    return ScanFixture::Write(spec, folder);
  }

  void Link(const std::string& target, const std::string& name) const {
    fs::create_directories(fs::path(dir_ / name).parent_path());
    fs::create_directory_symlink(target, dir_ / name);
  }

  Ran ScanWithoutPrivileges() const {
    return Filterdb("scan --json " + dir_ / "data", WithoutPrivileges());
  }

  Ran Scan(const std::string& more = "") const {
    return Filterdb("scan --json " + more + " " + dir_ / "data");
  }

  static size_t NumSstables(const Ran& ran) {
    return ran.report()["sstables"].size();
  }
};

// ---- Permissions ----

TEST_F(FoldersTest, AFolderThatCannotBeEnteredOrListed) {
  Write("data/ks/t1");
  Write("data/other/t1");
  for (const std::string folder : {"data/ks", "data/ks/t1"}) {
    for (const fs::perms perms :
         {fs::perms::owner_read, fs::perms::owner_exec, fs::perms::none}) {
      fs::permissions(dir_ / folder, perms);
      const Ran ran = ScanWithoutPrivileges();
      fs::permissions(dir_ / folder, fs::perms::owner_all);
      EXPECT_EQ(ran.exit_code, 3) << ran;
      const char* const what =
          perms == fs::perms::owner_exec ? "list" : "enter";
      EXPECT_THAT(ran.err,
                  HasSubstr("filterdb: " + dir_ / folder + ": cannot " + what +
                            " the folder: " + "Permission denied; let "));
      EXPECT_EQ(NumSstables(ran), 1U) << ran;
    }
  }
}

// Its faults would be those of the user, so nothing is said about its filter.
TEST_F(FoldersTest, AFileThatThisUserMayNotRead) {
  const WrittenSstable one = Write("data/ks/t1");
  Write("data/ks/t2");
  for (const char* const component :
       {"Data.db", "Index.db", "Filter.db", "Statistics.db", "TOC.txt"}) {
    fs::permissions(one.Path(component), fs::perms::none);
    const Ran ran = ScanWithoutPrivileges();
    fs::permissions(one.Path(component), fs::perms::owner_all);
    EXPECT_EQ(ran.exit_code, 3) << ran;
    EXPECT_THAT(ran.err, HasSubstr(one.Path(component) +
                                   ": cannot open: Permission denied; let "));
    EXPECT_EQ(ran.report()["errors"].size(), 1U) << ran;
    EXPECT_EQ(NumSstables(ran), 1U) << ran;
    EXPECT_EQ(ran.report()["summary"]["sstables"], 1) << ran;
    EXPECT_EQ(ran.report()["summary"]["harm"], "not known") << ran;
  }
}

// Of ext4, for root alone.
TEST_F(FoldersTest, LostAndFound) {
  fs::create_directories(dir_ / "data/lost+found");
  fs::permissions(dir_ / "data/lost+found", fs::perms::none);
  EXPECT_EQ(Exits(0, ScanWithoutPrivileges()).err, "");
  fs::permissions(dir_ / "data/lost+found", fs::perms::owner_all);
}

// ---- Missing files and folders ----

// The path of the folder is longer than system calls allow.
TEST_F(FoldersTest, APathThatIsTooLong) {
  Write("data/ks/t1");
  const std::string name(250, 'x');
  int folder = open((dir_ / "data/ks").c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(mkdirat(folder, name.c_str(), 0700), 0);
    const int next = openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY);
    close(folder);
    folder = next;
  }
  close(folder);
  const Ran ran = Scan();
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("File name too long"));
  EXPECT_EQ(NumSstables(ran), 1U);
  EXPECT_EQ(RunProcess({"rm", "-r", dir_ / "data"}).exit_code, 0);
}

// filterdb scan says "vanished" only if a compaction may have removed the
// SSTable. A compaction leaves no link that leads nowhere, or to itself.
TEST_F(FoldersTest, ALinkInPlaceOfData) {
  const WrittenSstable one = Write("data/ks/t1");
  for (const char* const target : {"not_there", "nb-1-big-Data.db"}) {
    fs::remove(one.Path("Data.db"));
    fs::create_symlink(target, one.Path("Data.db"));
    const Json json = Exits(2, Scan()).report()["sstables"][0];
    EXPECT_EQ(json.at("verdict"), "keys unreadable");
    EXPECT_THAT(json.at("findings").dump(),
                HasSubstr(one.Path("Data.db") + ": cannot open: "));
  }
}

// ---- Names ----

TEST_F(FoldersTest, KeyspacesAndTablesOfAnyName) {
  size_t number = 0;
  for (const std::string name : {"backups", "snapshots", "tmp", "tmplink"}) {
    Write("data/" + name + "/" + kTable1);
    Write("data/ks/" + name + "-5a1c395c6f9511ee8e8b0f9a4e1c2b3d");
    // Names without an ID are from before Cassandra 2.1.
    Write("old/" + name + "/t1");
    Write("old/ks/" + name);
    number += 4;
  }
  const Ran ran = Exits(0, Scan(dir_ / "old"));
  EXPECT_EQ(NumSstables(ran), number);
  EXPECT_EQ(ran.report()["summary"]["left_out_folders"], Json::object());
}

TEST_F(FoldersTest, NamesWithTmp) {
  for (const std::string version : {"ic", "ka", "la"}) {
    const WrittenSstable one =
        Write("data/ks/t1", RecordedSpec(version, FilterFault::kMissing));
    for (const std::string tmp : {"tmp-", "tmplink-"}) {
      for (const char* const component : {"Data.db", "Index.db"}) {
        std::string name = fs::path(one.Path(component)).filename();
        name.insert(name.find(version + "-"), tmp);
        fs::create_directories(dir_ / tmp);
        fs::copy_file(one.Path(component), dir_ / tmp + "/" + name);
      }
      const Ran ran = Exits(0, Filterdb("scan --json " + dir_ / tmp));
      EXPECT_EQ(ran.report()["sstables"][0]["state"], "being written");
      EXPECT_EQ(ran.report()["sstables"][0]["version"], version);
      fs::remove_all(dir_ / tmp);
    }
    fs::remove_all(dir_ / "data");
  }
}

TEST_F(FoldersTest, AFolderOfAnUnfinishedSstable) {
  const SstableSpec spec = SpecOf("nb", FilterFault::kBitsCleared);
  Write("data/ks/t1/1.sstable", spec);
  EXPECT_EQ(Exits(0, Scan()).report()["sstables"][0]["state"], "being written");
  fs::remove_all(dir_ / "data");
  Write("data/.sstable", spec);
  EXPECT_EQ(Exits(2, Scan()).report()["sstables"][0]["state"], "live");
}

// The name of the folder fakes a line of the report, and erases text on a
// terminal. (output_test.cc tests the texts and the JSON.)
TEST_F(FoldersTest, NamesAreHarmless) {
  SstableSpec spec = SpecOf("nb", FilterFault::kBitsCleared);
  spec.keys = {"alice", "bob", "carol"};
  const WrittenSstable one = Write("data/ks\nall is well\x1b[2K", spec);
  const std::string filter = "'" + one.Path("Filter.db") + "'";
  for (const Ran& ran :
       {Filterdb("scan " + dir_.path()),
        Filterdb("scan --what-if " + dir_.path()), Filterdb("info " + filter),
        Filterdb("check --key-format=text --keys=- " + filter, "echo alice |"),
        Filterdb("find --key=616c696365 " + dir_.path())}) {
    const std::string text = ran.out + ran.err;
    EXPECT_THAT(text, HasSubstr("ks\\x0aall is well\\x1b[2K"));
    EXPECT_THAT(text, Not(HasSubstr("\nall is well")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
}

// ---- What is left out ----

TEST_F(FoldersTest, SnapshotsAndBackupsAreCounted) {
  Write("data/ks/" + kTable1);
  Write("data/ks/" + kTable1 + "/snapshots/daily");
  Write("data/ks/" + kTable1 + "/backups");
  // The second table has SSTables only in a snapshot, as after a TRUNCATE.
  Write("data/ks/" + kTable2 + "/snapshots/daily");
  fs::create_directories(dir_ / "data/ks/" + kTable2 + "/backups");
  EXPECT_EQ(NumSstables(Scan()), 1U);
  EXPECT_EQ(Scan().report()["summary"]["left_out_folders"],
            (Json{{"backups", 1}, {"snapshots", 2}}));
  EXPECT_THAT(
      Filterdb("scan " + dir_ / "data").out,
      HasSubstr(
          "left out: 1 folder named backups, 2 folders named snapshots\n"));
  EXPECT_EQ(NumSstables(Scan(dir_ / "data/ks/" + kTable1 + "/snapshots")), 2U);
  // What to do comes last.
  Write("data/ks/" + kTable1, SpecOf("nb", FilterFault::kBitsCleared));
  EXPECT_THAT(Filterdb("scan " + dir_ / "data").out,
              HasSubstr("2 folders named snapshots\nScan the other replicas"));
  EXPECT_EQ(Exits(0, Filterdb("scan " + dir_ / "data/ks/" + kTable2)).out,
            "no SSTable found\nleft out: 1 folder named snapshots\n");
}

TEST_F(FoldersTest, LinksAreNamedAndNotFollowed) {
  Write("data/ks/t1");
  Write("disk/t2");
  Link(dir_ / "disk/t2", "data/ks/t2");
  const std::string error =
      dir_ /
          "data/ks/t2: a link, which is not followed; to look into it, give " +
      dir_ / "disk/t2 as PATH, too";
  const Ran ran = Exits(3, Scan());
  EXPECT_EQ(ran.err, "filterdb: " + error + "\n");
  EXPECT_EQ(ran.report()["errors"], Json::array({error}));
  EXPECT_EQ(NumSstables(ran), 1U);
  EXPECT_EQ(NumSstables(Exits(0, Scan(dir_ / "disk/t2"))), 2U);
  Link(dir_ / "not_mounted/other", "data/other");
  EXPECT_THAT(Exits(3, Scan()).err,
              HasSubstr(dir_ / "data/other: cannot follow the link"));
  // PATH itself may be a link.
  Link(dir_ / "disk", "path");
  EXPECT_EQ(NumSstables(Exits(0, Filterdb("scan --json " + dir_ / "path"))),
            1U);
}

// Nothing is said about a link to a folder that was searched anyway.
TEST_F(FoldersTest, LinksToWhatIsFoundWithoutThem) {
  Write("data/ks/t1");
  Write("data/other/t1");
  Link(dir_ / "data/other/t1", "data/ks/a_link");
  Link(dir_ / "data", "data/ks/circle");
  Link("..", "data/ks/t1/parent");
  const Ran ran = Exits(0, Scan());
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(NumSstables(ran), 2U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
