// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" on SSTables with chosen faults.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "tests/support/fake_sstable/log_record.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class MendTest : public MendFixture {};

TEST_F(MendTest, EachFaultOfEachVersion) {
  for (const std::string version :
       {"ja", "ka", "la", "ma", "me", "ms", "nb", "oa", "da"}) {
    for (const FilterFault fault : kAllFilterFaults) {
      SCOPED_TRACE(version + " " + NameOf(fault));
      SstableSpec spec;
      spec.version = version;
      spec.fault = fault;
      spec.fp_chance = fault == FilterFault::kNoFilterPlanned ? 1 : 0.01;
      const WrittenSstable one = Write(spec);
      const bool can_be_mended = fault != FilterFault::kIndexCut;
      const Ran ran = Mend("--in-place");
      EXPECT_EQ(ran.exit_code, can_be_mended ? 0 : 1) << ran;
      const Ran after = Scan();
      EXPECT_EQ(after.exit_code, can_be_mended ? 0 : 1) << after;
      if (fault == FilterFault::kMissing) {
        EXPECT_THAT(ReadFile(one.Path("TOC.txt")), HasSubstr("Filter.db\n"));
      }
      fs::remove_all(dir_ / "ks");
    }
  }
}

// filterdb mend must make the same filter as `filterdb build`.
TEST_F(MendTest, BytesOfTheNewFilter) {
  for (const std::string version : {"ka", "mc", "nb", "da"}) {
    const WrittenSstable one = WriteFaulty(version);
    EXPECT_EQ(Mend("--in-place").exit_code, 0);
    const std::string index =
        one.Path(version == "da" ? "Partitions.db" : "Index.db");
    EXPECT_EQ(
        Filterdb("build --fp-chance=0.01 --index=" + index +
                 " --sstable-version=" + version + " --out=" + dir_ / "built")
            .exit_code,
        0);
    EXPECT_EQ(ReadFile(one.Path("Filter.db")), ReadFile(dir_ / "built"));
    fs::remove(dir_ / "built");
    fs::remove_all(dir_ / "ks");
  }
}

TEST_F(MendTest, SaysWhereTheNewFiltersGo) {
  WriteFaulty();
  const Ran ran = Mend("");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--in-place"));
  EXPECT_EQ(Mend("--in-place --out-dir=" + dir_ / "out").exit_code, 2);
  EXPECT_EQ(Mend("--undo --in-place").exit_code, 2);
}

TEST_F(MendTest, DryRunChangesNothing) {
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  const auto names = dir_.Names();
  for (const std::string more : {"", " --in-place", " --json"}) {
    const Ran ran = Mend("--dry-run" + more);
    EXPECT_EQ(ran.exit_code, 1) << ran;
    EXPECT_THAT(ran.out, HasSubstr("would be mended"));
  }
  EXPECT_EQ(Mend("--dry-run --out-dir=" + dir_ / "out").exit_code, 1);
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
  EXPECT_EQ(dir_.Names(), names);
}

TEST_F(MendTest, OutDirHasTheSameFolders) {
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  const Ran ran = Mend("--out-dir=" + dir_ / "out");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
  const std::string out = dir_ / "out/t1/nb-1-big-Filter.db";
  EXPECT_EQ(
      Filterdb("check " + out + " --index=" + one.Path("Index.db")).exit_code,
      0);
  const Ran again = Mend("--out-dir=" + dir_ / "out");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("will not be overwritten"));
}

// ---- TOC.txt ----

// Removes the line of Filter.db from TOC.txt, and returns the new TOC.txt.
// Cassandra leaves such a TOC.txt after it has made a missing filter anew.
std::string LeaveOutOfToc(const WrittenSstable& one) {
  const std::string line = "Filter.db\n";
  std::string toc = ReadFile(one.Path("TOC.txt"));
  toc.erase(toc.find(line), line.size());
  WriteFile(one.Path("TOC.txt"), toc);
  return toc;
}

// A full disk may cut TOC.txt, so that TOC.txt does not name Data.db.
TEST_F(MendTest, ATocThatDoesNotNameData) {
  for (const std::string toc : {"", "Filter.db\n", "Data.d"}) {
    for (const FilterFault fault :
         {FilterFault::kNone, FilterFault::kBitsCleared}) {
      SCOPED_TRACE(toc + NameOf(fault));
      SstableSpec spec;
      spec.fault = fault;
      const WrittenSstable one = Write(spec);
      WriteFile(one.Path("TOC.txt"), toc);
      const Ran scan = Scan();
      EXPECT_EQ(scan.exit_code, 1) << scan;
      const Json json = scan.json()["sstables"][0];
      EXPECT_EQ(json.at("verdicts").back(), "TOC.txt damaged") << json;
      EXPECT_EQ(json.at("verdicts").size(),
                fault == FilterFault::kNone ? 1U : 2U);
      EXPECT_THAT(json.at("errors").dump(),
                  HasSubstr("TOC.txt: does not name Data.db; it is damaged"));
      for (const std::string action : {"--dry-run", "--in-place"}) {
        ExpectLeft(action, ": left: ");
        ExpectLeft(action, "does not name Data.db");
      }
      EXPECT_EQ(Mend("--out-dir=" + dir_ / "out").exit_code,
                fault == FilterFault::kNone ? 1 : 0);
      fs::remove_all(dir_ / "ks");
      fs::remove_all(dir_ / "out");
    }
  }
}

TEST_F(MendTest, CompletesTocWithoutANewFilter) {
  const WrittenSstable one = Write({});
  const std::string toc = LeaveOutOfToc(one);
  const struct stat before = StatusOf(one.Path("Filter.db"));
  const auto names = dir_.Names();
  const Ran scan = Scan();
  EXPECT_EQ(scan.exit_code, 0) << scan;
  EXPECT_EQ(scan.json()["sstables"][0]["verdict"], "not in TOC.txt");
  EXPECT_THAT(Mend("--dry-run").out, HasSubstr("1 would be mended"));
  EXPECT_THAT(Mend("--out-dir=" + dir_ / "out").out, HasSubstr("0 mended"));
  EXPECT_EQ(ReadFile(one.Path("TOC.txt")), toc);
  const Ran ran = Mend("--in-place");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_THAT(ran.out,
              HasSubstr("not in TOC.txt: mended, TOC.txt completed\n"));
  EXPECT_EQ(ReadFile(one.Path("TOC.txt")), toc + "Filter.db\n");
  EXPECT_EQ(StatusOf(one.Path("Filter.db")).st_ino, before.st_ino);
  EXPECT_EQ(dir_.Names(), names);
  EXPECT_EQ(Scan().json()["sstables"][0]["verdict"], "ok");
  EXPECT_THAT(Mend("--in-place").out, HasSubstr("0 mended"));
}

// ScyllaDB does not load a filter that TOC.txt does not name.
TEST_F(MendTest, ANotLoadedFilterIsAFault) {
  SstableSpec spec;
  spec.version = "me";
  const WrittenSstable one = Write(spec);
  LeaveOutOfToc(one);
  WriteFile(one.Path("Scylla.db"), std::string(4, '\0'));
  const Ran scan = Scan();
  EXPECT_EQ(scan.exit_code, 1) << scan;
  EXPECT_EQ(scan.json()["sstables"][0]["verdict"], "not loaded");
  EXPECT_EQ(Mend("--out-dir=" + dir_ / "out").exit_code, 1);
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  EXPECT_EQ(Scan().exit_code, 0);
}

// With --fp-chance=0.1, the new filter would still be worse than planned, which
// is a fault.
TEST_F(MendTest, AChanceThatIsWorseThanThePlan) {
  SstableSpec spec;
  spec.fault = FilterFault::kHalfSize;
  Write(spec);
  ExpectLeft("--in-place --fp-chance=0.1", "would still be worse than planned");
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  EXPECT_EQ(Scan().exit_code, 0);
}

TEST_F(MendTest, Oversized) {
  SstableSpec spec;
  spec.min_expected_keys = 10000;  // Ten times the number of keys.
  const WrittenSstable one = Write(spec);
  const std::string before = ReadFile(one.Path("Filter.db"));
  const Json total = Scan().json()["total"];
  EXPECT_EQ(total["oversized"], 1);
  const uint64_t freed = total["oversized_freed_bytes"];
  EXPECT_THAT(Mend("--in-place").out, HasSubstr("0 mended"));
  EXPECT_THAT(Mend("--dry-run --oversized").out, HasSubstr("1 would be"));
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
  EXPECT_EQ(Mend("--in-place --oversized").exit_code, 0);
  EXPECT_EQ(ReadFile(one.Path("Filter.db")).size(), before.size() - freed);
  const Ran scan = Scan();
  EXPECT_EQ(scan.exit_code, 0) << scan;
  const Json sstable = scan.json()["sstables"][0];
  EXPECT_EQ(sstable["verdict"], "ok");
  EXPECT_EQ(sstable["missing_keys"], 0);
  EXPECT_EQ(sstable["filter_bytes"], sstable["planned_bytes"]);
  EXPECT_EQ(scan.json()["total"]["oversized"], 0);
  EXPECT_EQ(Mend("--undo").exit_code, 0);
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
}

TEST_F(MendTest, AChanceThatIsOversizedAgain) {
  SstableSpec spec;
  spec.fp_chance = 0.1;
  spec.min_expected_keys = 10000;
  Write(spec);
  ExpectLeft("--in-place --oversized --fp-chance=0.0001",
             "would still be oversized");
  EXPECT_EQ(Mend("--in-place --oversized --fp-chance=0.09").exit_code, 0);
}

TEST_F(MendTest, RemovesLeftOversWhereThereIsNoFault) {
  const WrittenSstable one = Write({});
  WriteFile(one.Path("Filter.db.cassandra_bloom-new"), "half");
  WriteFile(one.Path("TOC.txt.cassandra_bloom-new"), "half");
  EXPECT_EQ(Mend("--dry-run").exit_code, 0);
  EXPECT_TRUE(fs::exists(one.Path("Filter.db.cassandra_bloom-new")));
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  EXPECT_FALSE(fs::exists(one.Path("Filter.db.cassandra_bloom-new")));
  EXPECT_FALSE(fs::exists(one.Path("TOC.txt.cassandra_bloom-new")));
}

// With --out-dir, filterdb mend must not write into the folder of the SSTables.
TEST_F(MendTest, OutDirIsNotTheFolderOfTheSstables) {
  SstableSpec spec;
  spec.fault = FilterFault::kMissing;
  const WrittenSstable one = Write(spec);
  for (const std::string more : {"", " --dry-run"}) {
    const Ran ran = Mend("--out-dir=" + dir_ / "ks" + more);
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.err, HasSubstr("give another --out-dir"));
  }
  EXPECT_FALSE(fs::exists(one.Path("Filter.db")));
}

// The folder of --out-dir has another SSTable of the same name. A node would
// use the new filter for that SSTable, so filterdb mend must not write the
// filter there.
TEST_F(MendTest, OutDirHasNoSstableOfTheName) {
  WriteFaulty();
  SstableSpec spec;
  spec.keys = {"alice", "bob", "carol"};
  spec.fault = FilterFault::kMissing;
  const WrittenSstable other = Write(spec, "live/t1");
  for (const std::string component : {"Data.db", "TOC.txt"}) {
    for (const std::string more : {"", " --dry-run"}) {
      const Ran ran = Mend("--out-dir=" + dir_ / "live" + more);
      EXPECT_EQ(ran.exit_code, 2) << ran;
      EXPECT_THAT(ran.err, HasSubstr("outside the data directories"));
    }
    fs::remove(other.Path(component));
  }
  EXPECT_FALSE(fs::exists(other.Path("Filter.db")));
}

// ---- Attributes ----

struct AclEntry {
  uint16_t tag;
  uint16_t permissions;
  uint32_t id;
};

// Returns the value of an attribute such as system.posix_acl_access, which
// stores an access control list. The layout is that of the kernel's
// posix_acl_xattr.h, little-endian.
std::string Acl(const std::vector<AclEntry>& entries) {
  const uint32_t version = 2;
  std::string acl(reinterpret_cast<const char*>(&version), sizeof(version));
  for (const AclEntry& entry : entries) {
    acl.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
  }
  return acl;
}

std::string AclOf(const std::string& path) {
  char acl[256];
  const ssize_t size =
      getxattr(path.c_str(), "system.posix_acl_access", acl, sizeof(acl));
  return size < 0 ? "" : std::string(acl, static_cast<size_t>(size));
}

// The new filter must have the access control list of the old filter, not the
// default list of the folder.
TEST_F(MendTest, KeepsAccessControlLists) {
  constexpr uint32_t kNoId = 0xffffffff;
  const WrittenSstable one = WriteFaulty();
  const std::string path = one.Path("Filter.db");
  const std::string before = ReadFile(path);
  const std::string of_folder = Acl({{1, 7, kNoId},
                                     {2, 6, 65534},
                                     {4, 5, kNoId},
                                     {16, 7, kNoId},
                                     {32, 5, kNoId}});
  const std::string of_file = Acl({{1, 6, kNoId},
                                   {2, 4, 12345},
                                   {4, 0, kNoId},
                                   {16, 4, kNoId},
                                   {32, 0, kNoId}});
  if (setxattr((dir_ / "ks/t1").c_str(), "system.posix_acl_default",
               of_folder.data(), of_folder.size(), 0) != 0) {
    GTEST_SKIP() << "no access control lists here";
  }
  ASSERT_EQ(chmod(path.c_str(), 0660), 0);
  for (const std::string& acl : {std::string(), of_file}) {
    WriteFile(path, before);
    if (!acl.empty()) {
      ASSERT_EQ(setxattr(path.c_str(), "system.posix_acl_access", acl.data(),
                         acl.size(), 0),
                0);
    }
    const struct stat old = StatusOf(path);
    EXPECT_EQ(Mend("--in-place --no-backup").exit_code, 0);
    EXPECT_EQ(AclOf(path), acl);
    EXPECT_EQ(StatusOf(path).st_mode, old.st_mode);
  }
}

TEST_F(MendTest, KeepsOwnerModeAndAttributes) {
  const WrittenSstable one = WriteFaulty();
  const std::string path = one.Path("Filter.db");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 12345, 23456), 0);
  }
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const bool has_attributes =
      setxattr(path.c_str(), "user.test", "value", 5, 0) == 0;
  const struct stat before = StatusOf(path);
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const struct stat after = StatusOf(path);
  EXPECT_NE(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_EQ(after.st_mode, before.st_mode);
  if (has_attributes) {
    char value[5] = {};
    EXPECT_EQ(getxattr(path.c_str(), "user.test", value, 5), 5);
    EXPECT_EQ(std::string(value, 5), "value");
  }
}

TEST_F(MendTest, AttributesOfAMissingFilter) {
  SstableSpec spec;
  spec.fault = FilterFault::kMissing;
  const WrittenSstable one = Write(spec);
  ASSERT_EQ(chmod(one.Path("Data.db").c_str(), 0604), 0);
  ASSERT_EQ(chmod(one.Path("TOC.txt").c_str(), 0606), 0);
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  EXPECT_EQ(StatusOf(one.Path("Filter.db")).st_mode & 07777, 0604U);
  EXPECT_EQ(StatusOf(one.Path("TOC.txt")).st_mode & 07777, 0606U);
}

// ---- SSTables that mend leaves alone ----

TEST_F(MendTest, SymbolicLinks) {
  const WrittenSstable one = WriteFaulty();
  fs::rename(one.Path("Filter.db"), dir_ / "elsewhere");
  fs::create_symlink(dir_ / "elsewhere", one.Path("Filter.db"));
  const std::string before = ReadFile(dir_ / "elsewhere");
  ExpectLeft("--in-place", "is a symbolic link");
  EXPECT_TRUE(fs::is_symlink(one.Path("Filter.db")));
  EXPECT_EQ(ReadFile(dir_ / "elsewhere"), before);
}

// A transaction log names an SSTable by the beginning of its path, such as
// nb-1-big-. Cassandra 3.0 and 3.11 leave out the last "-".
TEST_F(MendTest, SstablesOfTransactions) {
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  for (const std::string& path :
       {one.prefix, one.prefix.substr(0, one.prefix.size() - 1)}) {
    const std::string log = dir_ / "ks/t1/nb_txn_compaction_1.log";
    const std::string remove = LogRecord("REMOVE", path, 1700000000000, 8);
    WriteFile(log, remove);
    ExpectLeft("--in-place", "transaction log");
    // After the commit, the SSTable is obsolete. So filterdb mend must not
    // change its filter.
    WriteFile(log, remove + LogRecord("COMMIT"));
    EXPECT_EQ(Mend("--in-place").exit_code, 0);
    EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
  }
}

// A log that cannot be read may name any SSTable of its folder. So filterdb
// mend must leave all SSTables of this folder as they are.
TEST_F(MendTest, FoldersWithALogThatCannotBeRead) {
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  const std::string log = dir_ / "ks/t1/nb_txn_compaction_1.log";
  SstableSpec spec;
  spec.fault = FilterFault::kEmpty;
  Write(spec, "ks/t2");
  const auto check = [&](const std::string& why) {
    for (const std::string more : {" --dry-run", ""}) {
      const Ran ran = Mend("--in-place" + more);
      EXPECT_EQ(ran.exit_code, 2) << ran;
      EXPECT_THAT(ran.err, HasSubstr(log + ": " + why));
      EXPECT_THAT(ran.out, HasSubstr("left: " + log + ": " + why));
      EXPECT_THAT(ran.out, HasSubstr("1 left"));
      EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
    }
    EXPECT_EQ(Filterdb("scan " + dir_ / "ks/t2").exit_code, 0);
  };
  WriteFile(log, "");
  fs::resize_file(log, uint64_t{1} << 40);
  check("cannot read: File too large");
  WriteFile(log, "REMOVE:[/d/nb-3-big-,1,8][1]\n" + LogRecord("ABORT"));
  check("line 1 is damaged");
  fs::remove(log);
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const std::string mended = ReadFile(one.Path("Filter.db"));
  fs::create_directory(log);
  const Ran ran = Mend("--undo");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.out, HasSubstr("left: " + log + ": not a regular file"));
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), mended);
}

TEST_F(MendTest, APlanThatIsUnknown) {
  SstableSpec spec;
  spec.version = "ic";
  spec.fault = FilterFault::kBitsCleared;
  Write(spec);
  ExpectLeft("--in-place", "give --fp-chance");
  EXPECT_EQ(Mend("--in-place --fp-chance=0.01").exit_code, 0);
  EXPECT_EQ(Scan().exit_code, 0);
}

TEST_F(MendTest, SnapshotsKeepTheOldFilter) {
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  fs::create_directories(dir_ / "ks/t1/snapshots/daily");
  const std::string snapshot =
      dir_ / "ks/t1/snapshots/daily/nb-1-big-Filter.db";
  fs::create_hard_link(one.Path("Filter.db"), snapshot);
  const Ran ran = Mend("--in-place");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  EXPECT_THAT(ran.out, HasSubstr("snapshots"));
  EXPECT_EQ(ReadFile(snapshot), before);
}

#ifndef CASSANDRA_BLOOM_SANITIZED  // The sanitizers need /proc.
// filterdb mend needs /proc, which some chroots do not have.
TEST_F(MendTest, WithoutProc) {
  const std::string without_proc =
      "unshare --mount --map-root-user sh -c 'mount -t tmpfs none /proc && "
      "exec \"$0\" \"$@\"' ";
  if (std::system((without_proc + "true 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "cannot hide /proc here";
  }
  const WrittenSstable one = WriteFaulty();
  const std::string before = ReadFile(one.Path("Filter.db"));
  const Ran ran = Filterdb("mend --in-place " + dir_.path(), without_proc);
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("/proc"));
  EXPECT_THAT(ran.err, Not(HasSubstr("Index.db")));
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
}
#endif

TEST_F(MendTest, ReadOnlyFolder) {
  const WrittenSstable one = WriteFaulty();
  fs::permissions(dir_ / "ks/t1",
                  fs::perms::owner_read | fs::perms::owner_exec);
  // Root may write to any folder, unless the capability CAP_DAC_OVERRIDE is
  // taken away.
  const Ran ran =
      Filterdb("mend --in-place " + dir_.path(),
               geteuid() == 0 ? "setpriv --bounding-set=-dac_override" : "");
  fs::permissions(dir_ / "ks/t1", fs::perms::owner_all);
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("Permission denied"));
  EXPECT_THAT(ran.err, Not(HasSubstr("/proc/")));
}

// A limit on the size of files stands for a full disk.
TEST_F(MendTest, FullDisk) {
  SstableSpec spec;
  spec.keys = NumberedKeys(20000);
  spec.fault = FilterFault::kBitsCleared;
  const WrittenSstable one = Write(spec);
  const std::string before = ReadFile(one.Path("Filter.db"));
  const auto names = dir_.Names();
  const Ran ran =
      Filterdb("mend --in-place " + dir_.path(), "trap '' XFSZ; ulimit -f 4;");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("nb-1-big-Filter.db: cannot write"));
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
  EXPECT_EQ(dir_.Names(), names);
}

// filterdb mend cannot print the outcomes, but must still do the work.
TEST_F(MendTest, APipeThatNobodyReads) {
  SstableSpec spec;
  spec.fault = FilterFault::kBitsCleared;
  for (int i = 1; i <= 5; ++i) {
    spec.generation = std::to_string(i);
    Write(spec);
  }
  const std::string pipe = dir_ / "pipe";
  const Ran ran = Filterdb(
      "mend --in-place " + dir_ / "ks" + " >&4",
      "mkfifo " + pipe + "; exec 3<>" + pipe + " 4>" + pipe + "; exec 3>&-;");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output"));
  EXPECT_EQ(Scan().exit_code, 0);
}

TEST_F(MendTest, Json) {
  WriteFaulty();
  const Json json = Mend("--in-place --json").json();
  ASSERT_EQ(json["sstables"].size(), 1U) << json;
  EXPECT_EQ(json["sstables"][0]["outcome"], "mended");
  EXPECT_EQ(json["sstables"][0]["keys"], 1000);
  EXPECT_THAT(json["sstables"][0]["verdict"], HasSubstr("keys missing"));
  EXPECT_EQ(Mend("--undo --json").json()["sstables"][0]["outcome"],
            "old filter put back");
}

TEST_F(MendTest, LeavesGoodOnesAlone) {
  SstableSpec spec;
  const WrittenSstable good = Write(spec);
  spec.generation = "2";
  spec.fault = FilterFault::kEmpty;
  Write(spec);
  const struct stat before = StatusOf(good.Path("Filter.db"));
  EXPECT_EQ(Mend("--in-place").exit_code, 0);
  const struct stat after = StatusOf(good.Path("Filter.db"));
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

}  // namespace
}  // namespace cassandra_bloom::testing
