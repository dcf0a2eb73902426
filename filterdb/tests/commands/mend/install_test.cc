// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb install" on what may have happened between the mend and the
// install, and on folders of runs that were changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

void HardLink(const fs::path& from, const fs::path& to) {
  fs::create_hard_link(from, to);
}

class InstallTest : public MendFixture {
 protected:
  InstallTest() : one_(Write(FilterFault::kKeysLeftOut)) {}

  // Gives all files of the SSTable in `from` names in another folder, or of
  // another generation.
  void GiveNames(const std::string& folder, const std::string& name,
                 const std::function<void(fs::path, fs::path)>& give,
                 const std::string& from = "ks/t1") const {
    fs::create_directories(dir_ / folder);
    const std::vector<fs::path> files(fs::directory_iterator(dir_ / from), {});
    for (const fs::path& file : files) {
      const std::string old_name = file.filename();
      if (old_name.rfind("nb-1-big-", 0) == 0) {
        give(file, dir_ / folder + "/" + name + old_name.substr(9));
      }
    }
  }

  const WrittenSstable one_;
};

TEST_F(InstallTest, PutsTheNewFilterInPlace) {
  const std::string old_filter = ReadFile(one_.Path("Filter.db"));
  fs::create_directories(dir_ / "ks/t1/snapshots/daily");
  Exits(0, Mend());
  const Ran ran = Exits(0, Install());
  EXPECT_THAT(
      ran.out,
      ::testing::StartsWith(
          one_.Path("Filter.db") + ": hides rows: installed\n1 installed\n" +
          dir_ / "ks/t1/snapshots" +
          ": keeps the old filters; mend a copy before you restore it\n"
          "After that, with the node up, repair what was hidden from "
          "compactions:\n    nodetool repair --full ks t1\n"));
  EXPECT_THAT(ran.out,
              ::testing::EndsWith("\nTo put the old filters back: filterdb "
                                  "install " +
                                  run() + " --undo --node-is-down\n"));
  EXPECT_EQ(ReadFile(run() + "/old/1"), old_filter);
  Exits(0, Scan());
  EXPECT_THAT(Exits(0, Install()).out, HasSubstr("nothing to do\n"));
}

// ---- Where the SSTable is now ----

// ScyllaDB hard-links a whole SSTable under a new generation, and moves it out
// of staging.
TEST_F(InstallTest, FindsTheSstableByItsFiles) {
  const auto rename = [](const fs::path& from, const fs::path& to) {
    fs::rename(from, to);
  };
  const struct {
    const char* from;
    const char* folder;
    const char* name;
    std::function<void(fs::path, fs::path)> give;
    int num_names = 1;
  } cases[] = {{"ks/t1", "ks/t1", "nb-7-big-", rename},
               {"ks/t1", "ks/t1", "nb-7-big-", HardLink, 2},
               {"ks/t1", "ks/t1/quarantine", "nb-1-big-", rename},
               {"ks/t1", "ks/t1/staging", "nb-1-big-", rename},
               {"ks/t1/staging", "ks/t1", "nb-1-big-", rename}};
  for (const auto& each : cases) {
    SCOPED_TRACE(std::string(each.folder) + each.name);
    fs::remove_all(dir_ / "ks");
    NextRun();
    Write(FilterFault::kKeysLeftOut, "1", each.from);
    Exits(0, Mend());
    GiveNames(each.folder, each.name, each.give, each.from);
    Exits(0, Install());
    const Json report = Exits(0, Scan()).report();
    EXPECT_EQ(report["sstables"].size(), each.num_names);
    Exits(2, Undo());
    EXPECT_EQ(Scan().report()["summary"]["hides_rows"], each.num_names);
  }
}

// The list has both names. Both get the new filter, with the first line.
TEST_F(InstallTest, TwoNamesBeforeTheMend) {
  GiveNames("ks/t1", "nb-7-big-", HardLink);
  EXPECT_THAT(Exits(0, Mend()).out, HasSubstr("2 built"));
  EXPECT_THAT(Exits(0, Install()).out, HasSubstr("\n1 installed\n"));
  Exits(0, Scan());
  EXPECT_THAT(Exits(2, Undo()).out, HasSubstr("\n1 put back\n"));
  EXPECT_EQ(Scan().report()["summary"]["hides_rows"], 2);
}

// What a compaction has removed is no failure, but most of them are.
TEST_F(InstallTest, WhatIsGone) {
  Write(FilterFault::kKeysLeftOut, "2");
  Write(FilterFault::kKeysLeftOut, "3");
  Exits(0, Mend());
  const auto remove = [&](const std::string& generation) {
    for (const char* const component :
         {"Data.db", "Index.db", "Filter.db", "Statistics.db", "Summary.db",
          "TOC.txt"}) {
      fs::remove(dir_ / ("ks/t1/nb-" + generation + "-big-" + component));
    }
  };
  remove("1");
  const Ran one = Exits(0, Install());
  EXPECT_THAT(one.out, HasSubstr("nb-1-big-Filter.db: hides rows: gone\n"));
  EXPECT_THAT(one.out, HasSubstr("2 installed, 1 gone\n"));
  remove("2");
  const Ran two = Exits(3, Install());
  EXPECT_THAT(two.out,
              HasSubstr("2 of 3 SSTables are gone: this is an old run"));
  EXPECT_THAT(two.out, HasSubstr("nodetool repair --full ks t1\n"));
  remove("3");
  // The compaction asked the wrong filters.
  const Ran all = Exits(3, Install());
  EXPECT_THAT(all.out, HasSubstr("nodetool repair --full ks t1\n"));
}

// It is not called gone.
TEST_F(InstallTest, AFolderThatCannotBeListed) {
  for (const std::string generation : {"1", "2", "3"}) {
    Write(FilterFault::kKeysLeftOut, generation, "ks/t2");
  }
  Exits(0, Mend());
  fs::permissions(dir_ / "ks/t1", fs::perms(0300));
  const Ran ran = Install("", WithoutPrivileges());
  fs::permissions(dir_ / "ks/t1", fs::perms::owner_all);
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("ks/t1: failed: cannot list the folder: Perm"));
  EXPECT_THAT(ran.out, HasSubstr("3 installed, 1 failed\n"));
}

// A data directory that is not mounted. Its tables are not gone.
TEST_F(InstallTest, AFolderThatIsNotThere) {
  Exits(0, Mend());
  fs::rename(dir_ / "ks", dir_ / "before");
  for (const std::string undo : {"", "--undo"}) {
    for (const std::string dry_run : {" --dry-run", ""}) {
      EXPECT_THAT(Exits(3, Install(undo + dry_run)).out,
                  HasSubstr(dir_ / "ks/t1" +
                            ": failed: is not there; mount its file system"));
    }
  }
  fs::rename(dir_ / "before", dir_ / "ks");
  Exits(0, Install());
  Exits(0, Scan());
}

// Another name of the SSTable may be there.
TEST_F(InstallTest, AFolderBesideThatCannotBeListed) {
  Exits(0, Mend());
  const std::string staging = dir_ / "ks/t1/staging";
  GiveNames("ks/t1/staging", "nb-1-big-", HardLink);
  fs::permissions(staging, fs::perms::none);
  const Ran ran = Install("", WithoutPrivileges());
  fs::permissions(staging, fs::perms::owner_all);
  EXPECT_EQ(ran.exit_code, 3) << ran;
  EXPECT_THAT(ran.out, HasSubstr(staging + ": failed: cannot list the folder: "
                                           "Permission denied"));
  EXPECT_THAT(ran.out, HasSubstr("1 installed, 1 failed\n"));
  Exits(0, Install());
  Exits(0, Scan());
}

// A copy has other inodes, and may be of another time.
TEST_F(InstallTest, ARestoredCopyIsAnotherSstable) {
  Exits(0, Mend());
  fs::rename(dir_ / "ks", dir_ / "before");
  Exits(0, {RunProcess({"/bin/cp", "-a", dir_ / "before", dir_ / "ks"}), "cp"});
  const auto files = Files();
  const Ran ran = Exits(2, Install());
  EXPECT_THAT(ran.out, HasSubstr("gone: another SSTable has this name now\n"));
  // It does harm, so it is said.
  EXPECT_THAT(ran.out, HasSubstr("keys missing (99): not listed: is not of "
                                 "this run; mend again"));
  EXPECT_TRUE(Files() == files);
}

TEST_F(InstallTest, WhatCameAfterTheMend) {
  Exits(0, Mend());
  Write(FilterFault::kNone, "2");
  EXPECT_THAT(Exits(0, Install()).out, Not(HasSubstr("not listed")));
  GiveNames("ks/t1", "zz-2-big-",
            [](const auto& from, const auto& to) { fs::copy_file(from, to); });
  EXPECT_THAT(Exits(3, Install()).out,
              HasSubstr("zz-2-big-Filter.db: not supported: not listed"));
  Write(FilterFault::kKeysLeftOut, "3");
  EXPECT_THAT(Exits(2, Install()).out,
              HasSubstr("nb-3-big-Filter.db: keys missing (99): not listed"));
}

// A rehearsal changes nothing, not even the folder of the run.
TEST_F(InstallTest, ADryRun) {
  Exits(0, Mend());
  fs::remove(run() + "/old");
  const std::string list = ReadFile(run() + "/list") + "half a li";
  WriteFile(run() + "/list", list);
  Exits(2, Install("--dry-run"));
  EXPECT_FALSE(fs::exists(run() + "/old"));
  EXPECT_EQ(ReadFile(run() + "/list"), list);
  Exits(0, Install());
  EXPECT_TRUE(fs::exists(run() + "/old/1"));
}

// ---- What has changed ----

TEST_F(InstallTest, WhatHasChangedIsLeft) {
  Exits(0, Mend());
  const auto files = Files();
  const std::string index = one_.Path("Index.db");
  const auto time = fs::last_write_time(index);
  const std::vector<std::pair<std::function<void()>, const char*>> cases = {
      {[&] { WriteFile(one_.Path("Filter.db"), "other"); },
       "foreign: its filter is neither the old one nor the new one"},
      {[&] { fs::remove(one_.Path("Filter.db")); }, "foreign: its filter is"},
      {[&] { WriteFile(one_.Path("TOC.txt"), ""); }, "left: TOC.txt damaged"},
      {[&] { fs::last_write_time(index, time + std::chrono::seconds(1)); },
       "left: its index has changed since the mend"},
      {[&] {
         WriteFile(index, std::string(ReadFile(index).size(), 'x'));
         fs::last_write_time(index, time);
       },
       "left: its index has changed since the mend"},
      {[&] {
         WriteFile(dir_ / "ks/t1/nb_txn_compaction_1.log",
                   LogRecord("REMOVE", one_.prefix, 1, 8));
       },
       "start the node once"},
      {[&] {
         WriteFile(dir_ / "ks/t1/nb_txn_compaction_1.log",
                   LogRecord("ADD", one_.prefix, 1, 8));
       },
       "left: is being written"},
  };
  for (const auto& [change, reason] : cases) {
    SCOPED_TRACE(reason);
    change();
    const auto changed = Files();
    const Ran ran = Install();
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.out, HasSubstr(reason));
    EXPECT_TRUE(Files() == changed);
    fs::remove(dir_ / "ks/t1/nb_txn_compaction_1.log");
    for (const auto& [path, content] : files) {
      if (path[0] == '/' && (EndsWith(path, "Filter.db") ||
                             EndsWith(path, "TOC.txt") || path == index)) {
        WriteFile(path, content);
      }
    }
    fs::last_write_time(index, time);
  }
}

// ---- The folder of the run ----

// No byte of the list can be changed without being noticed.
TEST_F(InstallTest, AListThatWasChanged) {
  Exits(0, Mend());
  const auto files = Files();
  const std::string list = ReadFile(run() + "/list");
  size_t num_refused = 0;
  for (size_t at = list.find('\n') + 1; at < list.size(); ++at) {
    std::string changed = list;
    changed[at] = changed[at] == '1' ? '2' : '1';
    WriteFile(run() + "/list", changed);
    const Ran ran = Install();
    // Without the line end, the line counts as cut, and nothing is to be done.
    EXPECT_EQ(ran.exit_code, at + 1 == list.size() ? 0 : 3) << at << ran;
    num_refused += ran.err.find("list: is damaged: ") != std::string::npos;
    EXPECT_TRUE(Files() == files) << at;
    if (at % 7 != 0) {
      at += 3;  // A byte of each field.
    }
  }
  EXPECT_GT(num_refused, 10U);
  for (const std::string& changed :
       {std::string(), std::string("something\n"),
        "filterdb run 2" + list.substr(14), "filterdb mend 1\n" + list}) {
    WriteFile(run() + "/list", changed);
    EXPECT_THAT(Exits(3, Install()).err,
                HasSubstr(changed.rfind("filterdb mend", 0) == 0
                              ? "the backup of a mend by an earlier filterdb"
                              : "is not the list of a run"));
  }
  // A killed mend may leave the beginning of a line.
  WriteFile(run() + "/list", list + list.substr(list.find('\n') + 1, 30));
  Exits(0, Install());
  Exits(0, Scan());
}

// A field that was changed with the checksum, as only this user or root can:
// the SSTable is refused or left, and no filter that denies a key gets in.
TEST_F(InstallTest, AFieldThatWasChanged) {
  SstableSpec other = SpecOf("nb", FilterFault::kBitsCleared);
  other.generation = "2";
  other.keys = Keys(500);
  Write(other);
  Exits(0, Mend());
  const auto files = Files();
  const std::string list = ReadFile(run() + "/list");
  const size_t begin = list.find('\n') + 1;
  std::vector<std::string> fields;  // Of the first line, without the checksum.
  std::istringstream line(list.substr(begin, list.find('\n', begin) - begin));
  for (std::string field; line >> field;) {
    fields.push_back(field);
  }
  fields.erase(fields.begin());
  // number, harms, stamps of Data.db and the index, three CRC-32 values.
  const char* const others[] = {"2", "none", "1", "1", "1", "1", "1",
                                "1", "1",    "1", "1", "1", "1"};
  for (size_t at = 0; at < std::size(others); ++at) {
    SCOPED_TRACE(at);
    std::vector<std::string> changed = fields;
    changed[at] = at > 9 ? "00000001" : others[at];
    std::string text = changed[0];
    for (size_t i = 1; i < changed.size(); ++i) {
      text += " " + changed[i];
    }
    char crc[16];
    std::snprintf(crc, sizeof(crc), "%08x ", Crc32(text));
    WriteFile(run() + "/list", list.substr(0, begin) + crc + text + "\n");
    const Ran ran = Install();
    EXPECT_NE(ran.exit_code, 0) << ran;
    EXPECT_TRUE(Files() == files) << ran;
  }
}

TEST_F(InstallTest, AFilterThatWasChanged) {
  Exits(0, Mend());
  const auto files = Files();
  std::string filter = ReadFile(run() + "/new/1");
  filter[20] = static_cast<char>(filter[20] ^ 1);
  WriteFile(run() + "/new/1", filter);
  for (const std::string dry_run : {" --dry-run", ""}) {
    const Ran ran = Exits(2, Install(dry_run));
    EXPECT_THAT(ran.out, HasSubstr("failed: " + run() +
                                   "/new/1: is not the file that the list"));
    EXPECT_TRUE(Files() == files);
  }
  fs::remove(run() + "/new/1");
  Exits(2, Install());
  EXPECT_TRUE(Files() == files);
}

TEST_F(InstallTest, FoldersThatAreRefused) {
  Exits(0, Mend());
  const auto files = Files();
  const auto expect = [&](const std::string& folder, const std::string& error) {
    EXPECT_THAT(Exits(3, Filterdb("install " + folder)).err, HasSubstr(error));
    EXPECT_TRUE(Files() == files);
  };
  fs::permissions(run(), fs::perms(0720));
  expect(run(), run() + ": belongs to ");
  fs::permissions(run(), fs::perms(0700));
  fs::permissions(run() + "/list", fs::perms(0622));
  expect(run(), run() + "/list: belongs to ");
  fs::permissions(run() + "/list", fs::perms(0600));
  fs::create_directory(runs_ / "none");
  expect(runs_ / "none", "give the folder of a run (mend --run)");
  fs::rename(run() + "/list", run() + "/other");
  fs::create_symlink(run() + "/other", run() + "/list");
  expect(run(), run() + "/list: is a link");
}

// A node does not read it there, so there is nothing to repair.
TEST_F(InstallTest, InTheFolderUpload) {
  const std::string upload =
      dir_ / "ks/t1-0123456789abcdef0123456789abcdef/upload";
  fs::create_directories(fs::path(upload).parent_path());
  fs::rename(dir_ / "ks/t1", upload);
  Exits(0, Mend());
  const Ran ran = Exits(0, Install());
  EXPECT_THAT(ran.out, HasSubstr("1 installed\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("nodetool repair")));
}

// ---- The node, the disk ----

TEST_F(InstallTest, ANodeThatRuns) {
  Write(FilterFault::kKeysLeftOut, "2");
  Exits(0, Mend());
  const auto files = Files();
  const std::string hold = "exec 9<" + one_.Path("Data.db") + ";";
  Exits(2, Install("--dry-run", hold));
  const Ran ran = Exits(3, Install("", hold));
  EXPECT_THAT(
      ran.err,
      HasSubstr("nothing was changed: " + one_.Path("Data.db") + ": sh ("));
  EXPECT_THAT(ran.err, HasSubstr("has its Data.db, or a snapshot of it, open"));
  EXPECT_TRUE(Files() == files);
  // A reader that ends by itself, as of a backup.
  Exits(0, Install());
}

// The node was started meanwhile. (Before the first change, only a few are
// asked: here the first three.)
TEST_F(InstallTest, EndsAtAnSstableThatAProcessHasOpen) {
  for (const std::string generation : {"2", "3", "4", "5"}) {
    Write(FilterFault::kKeysLeftOut, generation);
  }
  Exits(0, Mend());
  const Ran ran =
      Exits(2, Install("", "exec 9<" + dir_ / "ks/t1/nb-4-big-Data.db" + ";"));
  EXPECT_THAT(ran.out, HasSubstr("nb-4-big-Filter.db: hides rows: in use: "));
  EXPECT_THAT(ran.out, HasSubstr("sh ("));
  EXPECT_THAT(ran.out, HasSubstr("stop that process, then run the same line"));
  EXPECT_THAT(ran.out, HasSubstr("3 installed, 1 in use, 1 not changed\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("ended at what is in use; what is not changed "));
  EXPECT_THAT(ran.out, Not(HasSubstr("nodetool repair")));
  EXPECT_THAT(Exits(0, Install()).out, HasSubstr("2 installed\n"));
  Exits(0, Scan());
}

// The line for the undo has --node-is-down only if the install had it.
TEST_F(InstallTest, WhereTheFileSystemTells) {
  Exits(0, Mend());
  EXPECT_THAT(Exits(0, FilterdbAsGiven("install " + run())).out,
              HasSubstr("filterdb install " + run() + " --undo\n"));
}

// Two installs at once. One works, and the other refuses.
TEST_F(InstallTest, TwoAtOnce) {
  Exits(0, Mend());
  const Ran both = RunInShell(CASSANDRA_BLOOM_FILTERDB,
                              "install " + run() + " --node-is-down",
                              "exec 9<" + run() + "/list; flock -n 9;");
  EXPECT_EQ(both.exit_code, 3) << both;
  EXPECT_THAT(both.err, HasSubstr("another filterdb works with this folder"));
  Exits(0, Install());
}

TEST_F(InstallTest, AFullDisk) {
  Exits(0, Mend());
  const auto files = Files();
  const Ran ran = Exits(2, Install("", "trap '' XFSZ; ulimit -f 2;"));
  EXPECT_THAT(ran.out, HasSubstr("cannot write: File too large"));
  EXPECT_TRUE(Files() == files);
  Exits(0, Install());
}

// The SSTables and the run are on the same file system, or on two. The kept
// filter is a hard link, or a copy.
TEST_F(InstallTest, KeepsTheOldFilterByALink) {
  const TempDir here(SafeFolder());
  SstableSpec spec = SpecOf("nb", FilterFault::kKeysLeftOut);
  spec.folder = here / "ks";
  spec.keys = Keys(1000);
  fs::create_directory(spec.folder);
  const WrittenSstable one = WriteSstable(spec);
  struct stat before;
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &before), 0);
  Exits(0, Filterdb("mend " + spec.folder + " --in-place --run=" + run()));
  struct stat kept;
  ASSERT_EQ(stat((run() + "/old/1").c_str(), &kept), 0);
  EXPECT_EQ(kept.st_ino, before.st_ino);
  EXPECT_EQ(kept.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

// One folder is listed once, whatever the number of its SSTables.
TEST_F(InstallTest, ListsAFolderOnce) {
  if (!HasStrace()) {
    GTEST_SKIP() << "strace cannot be run";
  }
  for (int i = 2; i < 20; ++i) {
    Write(FilterFault::kKeysLeftOut, std::to_string(i));
  }
  Exits(0, Mend());
  const std::string trace = dir_ / "trace";
  for (const std::string undo : {"", " --undo"}) {
    RunInShell(CASSANDRA_BLOOM_FILTERDB,
               "install " + run() + " --node-is-down" + undo,
               "strace -f -e trace=openat -o " + trace);
    const std::string calls = ReadFile(trace);
    const std::string open = "\"" + dir_ / "ks/t1" + "\", O_RDONLY|O_NONBLOCK";
    size_t num_listed = 0;
    for (size_t at = 0; (at = calls.find(open, at)) != std::string::npos;
         ++at) {
      ++num_listed;
    }
    EXPECT_EQ(num_listed, 1U) << calls;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
