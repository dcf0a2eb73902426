// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb scan" and "filterdb mend" on folders that cannot be read, are
// links, or have special names. filterdb must report what it leaves out.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The folder name of a table ends in an ID of 32 hexadecimal digits.
constexpr const char* kTable1 = "t1-5a1c395c6f9511ee8e8b0f9a4e1c2b3d";
constexpr const char* kTable2 = "t2-6b2c395c6f9511ee8e8b0f9a4e1c2b3d";

class FoldersTest : public ::testing::Test {
 protected:
  WrittenSstable Write(const std::string& folder, SstableSpec spec = {}) const {
    fs::create_directories(dir_ / folder);
    spec.folder = dir_ / folder;
    spec.keys = {"alice", "bob", "carol"};
    return WriteSstable(spec);
  }

  WrittenSstable WriteFaulty(const std::string& folder) const {
    SstableSpec spec;
    spec.fault = FilterFault::kBitsCleared;
    return Write(folder, spec);
  }

  void Link(const std::string& target, const std::string& name) const {
    fs::create_directories(fs::path(dir_ / name).parent_path());
    fs::create_directory_symlink(target, dir_ / name);
  }

  // Root may read any folder, unless these two capabilities are taken away.
  Ran ScanWithoutPrivileges() const {
    return Filterdb(
        "scan --json " + dir_ / "data",
        geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search"
                       : "");
  }

  Ran Scan(const std::string& options = "") const {
    return Filterdb("scan --json " + options + " " + dir_ / "data");
  }

  static size_t NumSstables(const Ran& ran) {
    return ran.json()["sstables"].size();
  }

  const TempDir dir_;
};

// ---- Permissions ----

TEST_F(FoldersTest, ATableThatCannotBeEntered) {
  Write("data/ks/t1");
  Write("data/ks/t2");
  fs::permissions(dir_ / "data/ks/t1", fs::perms::owner_read);
  const Ran ran = ScanWithoutPrivileges();
  fs::permissions(dir_ / "data/ks/t1", fs::perms::owner_all);
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_EQ(ran.err,
            "filterdb: " + dir_ / "data/ks/t1" +
                ": cannot enter the folder: Permission denied; so SSTables of "
                "its folder may be incomplete or obsolete\n");
  ASSERT_EQ(NumSstables(ran), 2U) << ran;
  const Json one = ran.json()["sstables"][0];
  EXPECT_EQ(one.at("verdict"), "unreadable");
  EXPECT_THAT(one.at("errors").dump(), HasSubstr("Permission denied"));
  EXPECT_EQ(ran.json()["sstables"][1]["verdict"], "ok");
}

TEST_F(FoldersTest, AKeyspaceThatCannotBeEnteredOrListed) {
  Write("data/ks/t1");
  Write("data/other/t1");
  for (const fs::perms perms :
       {fs::perms::owner_read, fs::perms::owner_exec, fs::perms::none}) {
    fs::permissions(dir_ / "data/ks", perms);
    const Ran ran = ScanWithoutPrivileges();
    fs::permissions(dir_ / "data/ks", fs::perms::owner_all);
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.err, HasSubstr(dir_ / "data/ks" + ": cannot l"));
    EXPECT_THAT(ran.err, HasSubstr("Permission denied"));
    EXPECT_EQ(ran.json()["errors"].size(), 1U) << ran;
    EXPECT_EQ(NumSstables(ran), 1U) << ran;
  }
}

// ---- Missing files and folders ----

TEST_F(FoldersTest, LinksThatLeadNowhere) {
  Write("data/ks/t1");
  Link(dir_ / "not_mounted/t2", "data/ks/t2");
  Link(dir_ / "not_mounted/other", "data/other");
  const Ran ran = Scan();
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr(dir_ / "data/ks/t2: cannot follow the link"));
  EXPECT_THAT(ran.err, HasSubstr(dir_ / "data/other: cannot follow the link"));
  EXPECT_EQ(NumSstables(ran), 1U);
}

TEST_F(FoldersTest, EachPathHasSstables) {
  Write("data/ks/t1");
  fs::create_directories(dir_ / "empty/ks/t2");
  const Ran ran = Scan(dir_ / "empty");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr(dir_ / "empty: no SSTables in it"));
  EXPECT_EQ(NumSstables(ran), 1U);
  // The SSTables of these PATHs are also below the other PATH. So each SSTable
  // is examined for only one PATH, but no PATH must count as empty.
  EXPECT_EQ(Scan(dir_ / "data/ks").exit_code, 0);
  EXPECT_EQ(Scan(dir_ / "data").exit_code, 0);
  EXPECT_EQ(Scan(dir_ / "data/ks/t1/nb-1-big-Data.db").exit_code, 0);
  for (const char* const command : {"scan", "mend --dry-run", "mend --undo"}) {
    EXPECT_EQ(
        Filterdb(std::string(command) + " --json " + dir_ / "empty").exit_code,
        2)
        << command;
  }
}

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
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("File name too long"));
  EXPECT_EQ(NumSstables(ran), 1U);
  EXPECT_EQ(RunProcess({"rm", "-r", dir_ / "data"}).exit_code, 0);
}

// filterdb scan says "vanished" only if a compaction may have removed the
// SSTable. A compaction never removes only Data.db, so filterdb scan must say
// "unreadable".
TEST_F(FoldersTest, DataThatIsNotThere) {
  const auto no_file = [](const fs::path&) {};
  const auto dangling = [](const fs::path& path) {
    fs::create_symlink("not_there", path);
  };
  // A link to itself causes an error other than ENOENT and EACCES.
  const auto loop = [](const fs::path& path) {
    fs::create_symlink(path.filename(), path);
  };
  for (const std::string version : {"ka", "nb", "da"}) {
    for (const auto& replace : {+no_file, +dangling, +loop}) {
      SstableSpec spec;
      spec.version = version;
      const WrittenSstable one = Write("data/ks/t1", spec);
      fs::remove(one.Path("Data.db"));
      replace(one.Path("Data.db"));
      const Ran ran = Scan();
      EXPECT_EQ(ran.exit_code, 1) << ran;
      const Json json = ran.json()["sstables"][0];
      EXPECT_EQ(json.at("verdict"), "unreadable");
      EXPECT_THAT(json.at("errors").dump(),
                  HasSubstr(one.Path("Data.db") + ": cannot open: "));
      fs::remove_all(dir_ / "data");
    }
  }
}

TEST_F(FoldersTest, OnlyItsTocIsThere) {
  const WrittenSstable one = Write("data/ks/t1");
  const std::string toc = ReadFile(one.Path("TOC.txt"));
  fs::remove_all(dir_ / "data/ks/t1");
  fs::create_directory(dir_ / "data/ks/t1");
  WriteFile(one.Path("TOC.txt"), toc);
  EXPECT_EQ(Scan().json()["sstables"][0]["verdict"], "unreadable");
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
  const Ran ran = Scan(dir_ / "old");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_EQ(NumSstables(ran), number);
  EXPECT_EQ(ran.json()["left_out_folders"], Json::object());
}

TEST_F(FoldersTest, OldNamesWithTmp) {
  const auto expect_all = [&](const std::string& state, size_t number) {
    const Json sstables = Scan().json().at("sstables");
    EXPECT_EQ(sstables.size(), number);
    for (const Json& sstable : sstables) {
      EXPECT_EQ(sstable.at("state"), state) << sstable;
    }
  };
  SstableSpec spec;
  spec.version = "ka";
  for (const std::string name : {"tmp", "tmplink"}) {
    spec.keyspace = name;
    spec.table = "t1";
    Write("data/ks/t1", spec);
    spec.keyspace = "ks";
    spec.table = name;
    Write("data/ks/t1", spec);
  }
  expect_all("live", 4);
  // While an SSTable is being written, the third word of its name is tmp or
  // tmplink.
  fs::remove_all(dir_ / "data");
  for (const std::string table : {"t1-tmp", "tmp-tmp", "t1-tmplink"}) {
    spec.table = table;
    Write("data/ks/t1", spec);
  }
  expect_all("being written", 3);
}

// ScyllaDB wrote an unfinished SSTable into a folder GENERATION.sstable.
TEST_F(FoldersTest, AFolderOfAnUnfinishedSstable) {
  fs::remove(WriteFaulty("data/ks/t1/7.sstable").Path("TOC.txt"));
  EXPECT_EQ(Exits(0, Scan()).json()["sstables"][0]["state"], "being written");
  fs::remove_all(dir_ / "data");
  WriteFaulty("data/.sstable");
  for (const std::string path : {"data/.sstable", ".sstable"}) {
    const Ran ran = Exits(
        1, Filterdb("scan --json " + path,
                    "cd " + dir_ / (path[0] == '.' ? "data" : "") + " && "));
    EXPECT_EQ(ran.json()["sstables"][0]["state"], "live");
  }
}

TEST_F(FoldersTest, WhatIsLeftOutIsCounted) {
  Write(std::string("data/ks/") + kTable1);
  Write(std::string("data/ks/") + kTable1 + "/snapshots/daily");
  Write(std::string("data/ks/") + kTable1 + "/backups");
  // The second table has SSTables only in a snapshot, as after a TRUNCATE.
  Write(std::string("data/ks/") + kTable2 + "/snapshots/daily");
  fs::create_directories(dir_ / "data/ks/" + kTable2 + "/backups");
  EXPECT_EQ(Scan().json()["left_out_folders"],
            (Json{{"backups", 1}, {"snapshots", 2}}));
  EXPECT_THAT(
      Filterdb("scan " + dir_ / "data").out,
      HasSubstr(
          "left out: 1 folder named backups, 2 folders named snapshots\n"));
  EXPECT_EQ(Scan("--backups").json()["left_out_folders"],
            (Json{{"snapshots", 2}}));
  EXPECT_EQ(NumSstables(Scan("--snapshots --backups")), 4U);
  EXPECT_EQ(Filterdb("scan " + dir_ / "data/ks/" + kTable2).exit_code, 2);
  const Ran inside =
      Filterdb("scan --json .", "cd " + dir_ / "data/ks/" + kTable2 + " && ");
  EXPECT_EQ(inside.exit_code, 2) << inside;
}

class LinksTest : public FoldersTest {
 protected:
  void ExpectFollowed(const std::string& link, const std::string& target,
                      size_t num_sstables) const {
    const Ran ran = Scan();
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_EQ(NumSstables(ran), num_sstables) << ran;
    EXPECT_EQ(
        ran.json()["links"],
        Json::array({{{"path", dir_ / link}, {"target", dir_ / target}}}));
    EXPECT_EQ(ran.err, "filterdb: " + dir_ / link + ": a link, followed to " +
                           dir_ / target + "\n");
  }

  void ExpectNotFollowed(const std::string& link) const {
    const Ran ran = Scan();
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.err, HasSubstr(dir_ / link + ": the link to "));
    EXPECT_EQ(ran.json()["links"], Json::array());
    EXPECT_EQ(NumSstables(ran), 1U) << ran;
  }
};

TEST_F(LinksTest, ATable) {
  Write("data/ks/t1");
  Write("disk/t2");
  Link(dir_ / "disk/t2", "data/ks/t2");
  ExpectFollowed("data/ks/t2", "disk/t2", 2);
}

TEST_F(LinksTest, WithoutNeighbours) {
  Write("disk/t2");
  Link(dir_ / "disk/t2", "data/ks/t2");
  ExpectFollowed("data/ks/t2", "disk/t2", 1);
  fs::remove_all(dir_ / "data");
  Link(dir_ / "disk", "data/ks");
  ExpectFollowed("data/ks", "disk", 1);
}

TEST_F(LinksTest, AKeyspace) {
  Write("data/ks/t1");
  Write("disk/other/t1");
  Write("disk/other/t2");
  Link(dir_ / "disk/other", "data/other");
  ExpectFollowed("data/other", "disk/other", 3);
}

TEST_F(LinksTest, ADataDirectoryBelowPath) {
  Write("disk/data/ks/t1");
  Link(dir_ / "disk/data", "data/data");
  ExpectFollowed("data/data", "disk/data", 1);
}

TEST_F(LinksTest, PathItself) {
  Write("disk/ks/t1");
  Link(dir_ / "disk", "data");
  ExpectFollowed("data", "disk", 1);
}

TEST_F(LinksTest, TablesOfAKeyspaceThatIsALink) {
  Write("data/ks/t1");
  Write("disk1/other/t1");
  Write("disk2/t2");
  Link(dir_ / "disk1/other", "data/other");
  Link(dir_ / "disk2/t2", "disk1/other/t2");
  const Ran ran = Scan();
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_EQ(NumSstables(ran), 3U);
  EXPECT_EQ(ran.json()["links"].size(), 2U);
}

// filterdb scan reports the real path of a folder, even if it finds a link to
// the folder first.
TEST_F(LinksTest, ToWhatIsFoundWithoutThem) {
  Write("data/ks/t1");
  Write("data/other/t1");
  Link(dir_ / "data/other/t1", "data/ks/a_link");
  Link(dir_ / "data", "data/ks/circle");
  Link("..", "data/ks/t1/parent");
  const Ran ran = Scan();
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(NumSstables(ran), 2U);
  EXPECT_EQ(ran.json()["sstables"][1]["sstable"],
            dir_ / "data/other/t1/nb-1-big-Data.db");
}

TEST_F(LinksTest, OutOfPath) {
  Write("data/ks/t1");
  Write("elsewhere/ks2/t1");
  // The links lead to a keyspace, a data directory, folders above PATH, and
  // other folders.
  for (const std::string& target :
       {dir_ / "elsewhere/ks2", dir_ / "elsewhere", dir_.path(),
        std::string("/"), std::string("/proc"), std::string("/proc/self/root"),
        std::string("/usr")}) {
    Link(target, "data/ks/x");
    ExpectNotFollowed("data/ks/x");
    fs::remove(dir_ / "data/ks/x");
  }
  // In the folder of a table, filterdb scan must not follow a link to another
  // table.
  Link(dir_ / "elsewhere/ks2/t1", "data/ks/t1/x");
  ExpectNotFollowed("data/ks/t1/x");
}

TEST_F(LinksTest, ToSnapshots) {
  Write("data/ks/t1");
  Write(std::string("elsewhere/ks/") + kTable1 + "/snapshots/daily");
  Link(dir_ / "elsewhere/ks/" + kTable1 + "/snapshots/daily", "data/ks/daily");
  const Ran ran = Scan();
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_EQ(NumSstables(ran), 1U);
  EXPECT_EQ(ran.json()["left_out_folders"], (Json{{"snapshots", 1}}));
  EXPECT_EQ(NumSstables(Scan("--snapshots")), 2U);
}

TEST_F(LinksTest, FileSystemsOfTheKernelAreLeftOut) {
  const Ran ran = Filterdb("scan /proc/self/");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no SSTables in it"));
  EXPECT_THAT(ran.out, HasSubstr("left out: 1 folder named self"));
}

TEST_F(LinksTest, MendSaysWhereItWrites) {
  WriteFaulty("data/ks/t1");
  const WrittenSstable linked = WriteFaulty("disk/t2");
  const WrittenSstable elsewhere = WriteFaulty("elsewhere/ks2/t3");
  const std::string before = ReadFile(elsewhere.Path("Filter.db"));
  Link(dir_ / "disk/t2", "data/ks/t2");
  Link(dir_ / "elsewhere", "data/ks/t3");
  const Ran ran = Filterdb("mend --in-place " + dir_ / "data");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.out, HasSubstr("2 mended"));
  EXPECT_THAT(ran.err, HasSubstr("followed to " + dir_ / "disk/t2"));
  EXPECT_THAT(ran.err, HasSubstr(dir_ / "elsewhere is not followed"));
  EXPECT_EQ(ReadFile(elsewhere.Path("Filter.db")), before);
  EXPECT_EQ(Filterdb("check " + linked.Path("Filter.db") +
                     " --index=" + linked.Path("Index.db"))
                .exit_code,
            0);
}

}  // namespace
}  // namespace cassandra_bloom::testing
