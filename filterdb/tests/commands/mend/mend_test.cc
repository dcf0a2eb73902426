// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" on SSTables with chosen faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
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

// A mended filter has the bytes of one that had no fault.
TEST_F(MendTest, EachFaultOfEachVersion) {
  for (const std::string version :
       {"ja", "ka", "la", "ma", "me", "ms", "nb", "oa", "da"}) {
    std::string good;  // kNone is the first fault.
    for (const FilterFault fault : kAllFilterFaults) {
      SCOPED_TRACE(version + " " + NameOf(fault));
      SstableSpec spec;
      spec.version = version;
      spec.fault = fault;
      spec.fp_chance = fault == FilterFault::kNoFilterPlanned ? 1 : 0.01;
      const WrittenSstable one = Write(spec);
      const bool can_be_mended = fault != FilterFault::kIndexCut;
      const Ran ran = Mend("--no-backup");
      EXPECT_EQ(ran.exit_code, can_be_mended ? 0 : 1) << ran;
      const Ran after = Scan();
      EXPECT_EQ(after.exit_code, can_be_mended ? 0 : 1) << after;
      if (fault == FilterFault::kNone) {
        good = ReadFile(one.Path("Filter.db"));
      } else if (ran.out.find(": mended") != std::string::npos) {
        EXPECT_TRUE(ReadFile(one.Path("Filter.db")) == good);
        EXPECT_THAT(ReadFile(one.Path("TOC.txt")), HasSubstr("Filter.db\n"));
      }
      fs::remove_all(dir_ / "ks");
    }
  }
}

// ---- What is mended, and what is left ----

struct MendCase {
  const char* name;
  FilterFault fault;
  // Changes the files of the SSTable.
  std::function<void(const std::string& dir, const WrittenSstable&)> change;
  const char* options;  // DIR stands for the temporary folder.
  int exit_code;
  const char* outcome;  // "" for none.
  const char* reason;   // A part of the reason.
};

constexpr char kNobody[] = "65534";

auto Link(const char* component) {
  return [=](const std::string& dir, const WrittenSstable& one) {
    fs::rename(one.Path(component), dir + "/elsewhere");
    fs::create_symlink(dir + "/elsewhere", one.Path(component));
  };
}

void WithoutFilterInToc(const std::string&, const WrittenSstable& one) {
  std::string toc = ReadFile(one.Path("TOC.txt"));
  toc.erase(toc.find("Filter.db\n"), 10);
  WriteFile(one.Path("TOC.txt"), toc);
}

void WithAFile(const std::string& dir, const WrittenSstable&) {
  fs::create_directories(dir + "/out/t1");
  WriteFile(dir + "/out/t1/nb-1-big-Filter.db", "earlier");
}

// Another data directory has an SSTable in a table of the same name.
void WithAnotherSstable(const std::string& dir, const WrittenSstable& one) {
  fs::create_directories(dir + "/live/t1");
  fs::copy(one.Path("Data.db"), dir + "/live/t1/nb-7-big-Data.db");
}

std::vector<MendCase> Cases() {
  constexpr FilterFault kBad = FilterFault::kBitsCleared;
  constexpr FilterFault kGood = FilterFault::kNone;
  return {
      {"good", kGood, nullptr, "--no-backup", 0, "", ""},
      {"bad", kBad, nullptr, "--no-backup", 0, "mended", ""},
      {"kept", kBad, nullptr, "--backup-dir=DIR/new/old", 0, "mended", ""},
      {"out_dir", kBad, nullptr, "--out-dir=DIR/out", 1, "written", ""},

      {"keys_cut", FilterFault::kIndexCut, nullptr, "--no-backup", 1, "left",
       "Index.db"},
      // Nothing tells whether Index.db has all keys, so it is not said that
      // there is nothing to do.
      {"not_confirmed", kGood,
       [](const std::string&, const WrittenSstable& one) {
         fs::remove(one.Path("Statistics.db"));
       },
       "--no-backup", 2, "not known", "does not tell how many keys"},

      // A full disk may cut TOC.txt, so that it does not name Data.db.
      {"toc_cut", kBad,
       [](const std::string&, const WrittenSstable& one) {
         WriteFile(one.Path("TOC.txt"), "Data.d");
       },
       "--no-backup", 1, "left", "list the components"},
      {"toc_only", kGood, WithoutFilterInToc, "--no-backup", 0, "mended", ""},

      {"filter_link", kBad, Link("Filter.db"), "--no-backup", 1, "left",
       "is a symbolic link"},
      {"data_link", kBad, Link("Data.db"), "--no-backup", 1, "left",
       "is a symbolic link"},
      {"index_link", kBad, Link("Index.db"), "--no-backup", 1, "left",
       "is a symbolic link"},
      {"toc_link", kBad, Link("TOC.txt"), "--no-backup", 1, "left",
       "is a symbolic link"},

      {"logged", kBad,
       [](const std::string&, const WrittenSstable& one) {
         WriteFile(
             fs::path(one.prefix).parent_path() / "nb_txn_compaction_1.log",
             LogRecord("REMOVE", one.prefix, 1, 8));
       },
       "--no-backup", 1, "left", "start the node once, then mend"},

      {"out_exists", kBad, WithAFile, "--out-dir=DIR/out", 2, "failed",
       "will not be overwritten"},
      {"out_has_sstable", kBad, WithAnotherSstable, "--out-dir=DIR/live", 2,
       "failed", "outside the data directories"},
  };
}

// Runs each case with --dry-run and without. The dry run must predict the
// outcome, and change nothing. What is not mended must not be changed.
TEST_F(MendTest, Cases) {
  for (const MendCase& one : Cases()) {
    SCOPED_TRACE(one.name);
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      fs::remove_all(entry.path());
    }
    const WrittenSstable sstable = Write(one.fault);
    if (one.change) {
      one.change(dir_.path(), sstable);
    }
    std::string options = one.options;
    const size_t at = options.find("DIR");
    if (at != std::string::npos) {
      options.replace(at, 3, dir_.path());
    }
    const std::string outcome = one.outcome;
    const bool is_done = outcome == "mended" || outcome == "written";
    const auto before = Files();
    const Ran dry_run = Mend("--json --dry-run " + options);
    EXPECT_EQ(dry_run.exit_code, is_done ? 1 : one.exit_code) << dry_run;
    EXPECT_TRUE(Files() == before);
    const Ran ran = Exits(one.exit_code, Mend("--json " + options));
    EXPECT_EQ(Files() == before, !is_done);
    if (outcome.empty()) {
      EXPECT_EQ(ran.json()["sstables"].size(), 0U) << ran;
      continue;
    }
    ASSERT_EQ(ran.json()["sstables"].size(), 1U) << ran;
    const Json now = ran.json()["sstables"][0];
    const Json predicted = dry_run.json()["sstables"][0];
    EXPECT_EQ(now["outcome"], outcome);
    EXPECT_EQ(predicted["outcome"], is_done ? "would be mended" : outcome);
    EXPECT_EQ(predicted.value("note", ""), now.value("note", ""));
    EXPECT_THAT(now.value("note", ""), HasSubstr(one.reason));
    EXPECT_EQ(Scan().exit_code == 0, outcome == "mended");
  }
}

// The plan of Statistics.db counts, even if another chance is given. So a mend
// never makes a filter worse than planned. (Version ic stores no chance.)
TEST_F(MendTest, TheDefaultChanceFillsUnknownPlansOnly) {
  SstableSpec spec;
  spec.fault = FilterFault::kBitsCleared;
  const WrittenSstable known = Write(spec);
  spec.version = "ic";
  const WrittenSstable unknown = Write(spec);
  EXPECT_THAT(Exits(1, Mend("--no-backup")).out,
              HasSubstr("its planned chance is unknown; give "
                        "--default-fp-chance"));
  spec.version = "nb";
  Write(spec);
  Exits(0, Mend("--no-backup --default-fp-chance=0.5"));
  EXPECT_GT(fs::file_size(known.Path("Filter.db")),
            4 * fs::file_size(unknown.Path("Filter.db")));
}

// Two data directories have an SSTable of the same name.
TEST_F(MendTest, TwoFiltersForTheSameFileInOutDir) {
  SstableSpec spec;
  spec.fault = FilterFault::kBitsCleared;
  Write(spec, "ks/t1");
  Write(spec, "other/t1");
  const Ran ran =
      Exits(2, Mend("--json --out-dir=" + dir_ / "out " + dir_ / "other"));
  EXPECT_EQ(ran.json()["total"]["written"], 1) << ran;
  EXPECT_EQ(ran.json()["total"]["failed"], 1) << ran;
  EXPECT_THAT(ran.out, HasSubstr("each with an --out-dir of its own"));
  EXPECT_EQ(ran.err, "");
  const std::string out = dir_ / "one";
  EXPECT_THAT(
      Exits(1, Filterdb("mend --out-dir=" + out + " " + dir_ / "ks/t1")).out,
      HasSubstr(" -> " + out + "/nb-1-big-Filter.db"));
}

TEST_F(MendTest, Oversized) {
  SstableSpec spec;
  spec.min_expected_keys = 10000;  // Ten times the number of keys.
  const WrittenSstable one = Write(spec);
  const auto size = fs::file_size(one.Path("Filter.db"));
  const uint64_t freed = Scan().json()["total"]["oversized_freed_bytes"];
  EXPECT_THAT(Mend("--no-backup").out, HasSubstr("nothing to do"));
  Exits(0, Mend("--no-backup --oversized"));
  EXPECT_EQ(fs::file_size(one.Path("Filter.db")), size - freed);
  const Json total = Scan().json()["total"];
  EXPECT_EQ(total["oversized"], 0);
  EXPECT_EQ(total["missing_keys"], 0);
}

TEST_F(MendTest, CompletingTocKeepsTheFilter) {
  const WrittenSstable one = Write(FilterFault::kNone);
  const std::string toc = ReadFile(one.Path("TOC.txt"));
  WithoutFilterInToc("", one);
  struct stat before;
  struct stat after;
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &before), 0);
  const Ran ran = Exits(0, Mend("--no-backup"));
  EXPECT_THAT(ran.out,
              HasSubstr("not in TOC.txt: mended: by completing TOC.txt\n"));
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(ReadFile(one.Path("TOC.txt")).size(), toc.size());
}

TEST_F(MendTest, RemovesLeftOversWhereThereIsNoFault) {
  const WrittenSstable one = Write(FilterFault::kNone);
  const auto before = Files();
  for (const char* const component : {"Filter.db", "TOC.txt", "Scylla.db"}) {
    WriteFile(one.Path(component) + ".cassandra_bloom-new", "half");
  }
  const auto with_left_overs = Files();
  EXPECT_EQ(Exits(0, Scan()).json()["left_over_files"].size(), 3U);
  EXPECT_THAT(Exits(0, Filterdb("scan " + dir_ / "ks")).out,
              HasSubstr(one.Path("Filter.db") +
                        ".cassandra_bloom-new: left over from a killed mend"));
  Exits(0, Mend("--no-backup --dry-run"));
  EXPECT_TRUE(Files() == with_left_overs);
  Exits(0, Mend("--no-backup"));
  EXPECT_TRUE(Files() == before);
}

// ---- The node, and its user ----

// The run ends at the first SSTable that a process has open. A dry run does not
// ask for that.
TEST_F(MendTest, ANodeThatRuns) {
  const WrittenSstable first = Write(FilterFault::kBitsCleared, "1");
  Write(FilterFault::kBitsCleared, "2");
  const auto before = Files();
  const std::string hold = "exec 9<" + first.Path("Data.db") + ";";
  const Ran dry_run = Exits(1, Mend("--dry-run --json " + Backup(), hold));
  EXPECT_EQ(dry_run.json()["total"]["would be mended"], 2);
  EXPECT_TRUE(Files() == before);
  const Ran ran = Exits(1, Mend("--json " + Backup(), hold));
  const Json sstables = ran.json()["sstables"];
  ASSERT_EQ(sstables.size(), 2U);
  if (sstables[0]["outcome"] == "mended") {
    GTEST_SKIP() << "this file system does not tell which files are open";
  }
  EXPECT_EQ(sstables[0]["outcome"], "left");
  EXPECT_THAT(sstables[0]["note"].dump(), HasSubstr("stop the node first"));
  EXPECT_EQ(sstables[1]["outcome"], "not done");
  const std::string text = Exits(1, Mend(Backup(), hold)).out;
  EXPECT_THAT(text, HasSubstr("1 left\nstopped there: 1 SSTable not done; run "
                              "the same line again\n"));
  EXPECT_THAT(text, Not(HasSubstr("nb-2-big")));
  EXPECT_TRUE(Files() == before);
  Exits(1, Mend("--out-dir=" + dir_ / "out", hold));
  EXPECT_TRUE(fs::exists(dir_ / "out/t1/nb-2-big-Filter.db"));
}

TEST_F(MendTest, AnotherUser) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can make files of another user";
  }
  const WrittenSstable one = Write(FilterFault::kBitsCleared);
  const std::string as_nobody = std::string("setpriv --reuid=") + kNobody +
                                " --regid=" + kNobody + " --clear-groups";
  fs::permissions(dir_.path(), fs::perms::all);
  const auto before = Files();
  const std::string advice = "belongs to root; run: sudo -u root filterdb";
  EXPECT_THAT(Exits(1, Mend("--no-backup", as_nobody)).out, HasSubstr(advice));
  fs::permissions(one.Path("Index.db"), fs::perms(0600));
  for (const std::string& closed :
       {one.Path("Index.db") + ": cannot open", dir_ / "ks: cannot enter"}) {
    const Ran ran = Exits(2, Mend("--no-backup", as_nobody));
    EXPECT_EQ(ran.out, "");  // Not "nothing to do".
    EXPECT_THAT(ran.err, HasSubstr(closed));
    EXPECT_THAT(ran.err, HasSubstr(advice));
    fs::permissions(dir_ / "ks", fs::perms(0700));
  }
  fs::permissions(one.Path("Index.db"), fs::perms(0644));
  fs::permissions(dir_ / "ks", fs::perms(0755));
  const auto chown_files = [&](const std::string& what) {
    Exits(0, {RunProcess({"/bin/chown", kNobody, what}), what});
  };
  chown_files(one.Path("Data.db"));
  EXPECT_THAT(Exits(1, Mend("--no-backup")).out,
              HasSubstr("and its folder to root; give both to the user of the "
                        "node (chown)"));
  chown_files(dir_ / "ks/t1");
  EXPECT_THAT(Exits(1, Mend("--no-backup")).out, HasSubstr("sudo -u nobody"));
  Exits(0, {RunProcess({"/bin/chown", "root", one.Path("Data.db")}), "chown"});
  EXPECT_THAT(
      Exits(1, Mend("--no-backup")).out,
      HasSubstr("belongs to root, and its folder to nobody; give both"));
  chown_files(one.Path("Data.db"));
  EXPECT_TRUE(Files() == before);
  Exits(0, Mend("--no-backup", as_nobody));
  struct stat status;
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &status), 0);
  EXPECT_EQ(std::to_string(status.st_uid), kNobody);
}

// Root may read and write any file, unless these capabilities are taken away.
std::string WithoutPrivileges() {
  return geteuid() == 0
             ? "setpriv --bounding-set=-dac_override,-dac_read_search"
             : "";
}

TEST_F(MendTest, FoldersThatCannotBeWrittenTo) {
  Write(FilterFault::kBitsCleared);
  fs::create_directories(dir_ / "closed");
  const auto expect_failed = [&](const std::string& folder, fs::perms perms,
                                 const std::string& options,
                                 const std::string& named) {
    fs::permissions(dir_ / folder, perms);
    for (const std::string more : {"", " --dry-run"}) {
      const Ran ran = Exits(2, Mend(options + more, WithoutPrivileges()));
      EXPECT_THAT(ran.out + ran.err,
                  HasSubstr(dir_ / named + ": cannot create files in this "
                                           "folder: Permission denied\n"));
    }
    fs::permissions(dir_ / folder, fs::perms::owner_all);
  };
  const fs::perms kRead = fs::perms::owner_read | fs::perms::owner_exec;
  const std::string old = "--backup-dir=" + dir_ / "closed/old";
  expect_failed("ks/t1", kRead, "--no-backup", "ks/t1");
  expect_failed("closed", kRead, old, "closed");
  expect_failed("closed", fs::perms::none, old, "closed/old");
  expect_failed("closed", kRead, "--out-dir=" + dir_ / "closed/out", "closed");
}

// An SSTable that this user may not read is named, and the others are mended.
TEST_F(MendTest, AFileThatThisUserMayNotRead) {
  for (const std::string options : {"--no-backup", "--backup-dir=DIR"}) {
    const WrittenSstable closed = Write(FilterFault::kBitsCleared, "1");
    const WrittenSstable other = Write(FilterFault::kBitsCleared, "2");
    const std::string filter = closed.Path("Filter.db");
    const std::string before = ReadFile(filter);
    fs::permissions(filter, fs::perms::none);
    const std::string to =
        options == "--no-backup" ? options : "--backup-dir=" + dir_ / "old";
    for (const std::string more : {" --dry-run", ""}) {
      const Ran ran = Exits(2, Mend(to + more, WithoutPrivileges()));
      EXPECT_THAT(ran.err, HasSubstr(filter + ": cannot open: Permission "
                                              "denied; let "));
      EXPECT_THAT(ran.out, Not(HasSubstr("nb-1-big")));
      EXPECT_THAT(ran.out, HasSubstr(more.empty() ? "1 mended" : "1 would be"));
    }
    fs::permissions(filter, fs::perms::owner_all);
    EXPECT_EQ(ReadFile(filter), before);
    EXPECT_NE(ReadFile(other.Path("Filter.db")), before);
    fs::remove_all(dir_ / "ks");
  }
}

// ---- Options and output ----

TEST_F(MendTest, OptionsThatDoNotFit) {
  Write(FilterFault::kBitsCleared);
  const std::string ks = " " + dir_ / "ks";
  const std::string one = " " + dir_ / "ks/t1/nb-1-big-Data.db";
  const std::string other = dir_ / "other/t2";
  fs::create_directories(other);
  WriteFile(other + "/nb-2-big-Data.db", "");
  WriteFile(dir_ / "file", "");
  const auto before = Files();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {ks, "[--backup-dir,--no-backup,--out-dir]"},
      {"--dry-run" + ks, "[--backup-dir,--no-backup,--out-dir]"},
      {"--no-backup", "PATH is required"},
      {"--backup-dir=x --out-dir=x" + ks,
       "[--backup-dir,--no-backup,--out-dir]"},
      {"--rewrite-digests --out-dir=x" + ks, "excludes"},
      {"--node-is-down --out-dir=x" + ks, "excludes"},
      {"--undo=x" + ks, "--undo takes no PATH"},
      {"--backup-dir=" + dir_ / "file" + ks, "file: is not a folder"},
      {"--out-dir=" + dir_ / "file" + ks, "file: is not a folder"},
      {"--undo=x --no-backup", "excludes"},
      {"--undo=x --jobs=1", "excludes"},
      {"--undo=" + dir_ / "x", "give the folder that mend has made"},
      // Later scans would read the filters there as SSTables.
      {"--backup-dir=" + dir_ / "ks/new/old" + ks, "is below PATH"},
      {"--backup-dir=" + dir_ / "ks/t1/old" + one, "which holds SSTables"},
      {"--backup-dir=" + other + "/old" + ks, "which holds SSTables"},
      {"--out-dir=" + dir_ / "ks/new" + ks, "is below PATH"},
      {"--out-dir=" + dir_ / "ks/t1/new" + one, "which holds SSTables"},
      {"--out-dir=" + other + ks, "which holds SSTables"},
  };
  for (const auto& [options, error] : cases) {
    const Ran ran = Exits(2, FilterdbAsGiven("mend " + options));
    EXPECT_THAT(ran.err, HasSubstr(error)) << options;
  }
  EXPECT_TRUE(Files() == before);
}

TEST_F(MendTest, JsonHasTotalsAndErrors) {
  for (const std::string generation : {"1", "2", "10"}) {
    Write(FilterFault::kEmpty, generation);
  }
  const std::string toc = dir_ / "ks/t1/nb-10-big-TOC.txt";
  fs::rename(toc, toc + ".tmp");  // The SSTable is being written.
  const Ran ran = Exits(2, Mend("--json --no-backup " + dir_ / "absent"));
  const Json json = ran.json();
  EXPECT_EQ(json["total"]["mended"], 2);
  EXPECT_EQ(json["total"]["not examined"], 1);
  EXPECT_EQ(json["sstables"][2]["verdict"], "being written");
  EXPECT_THAT(Exits(0, Mend("--no-backup")).out,
              HasSubstr("nb-10-big-Filter.db: being written: not examined\n"));
  ASSERT_EQ(json["errors"].size(), 1U);
  EXPECT_THAT(ran.err, HasSubstr(json["errors"][0].get<std::string>()));
}

}  // namespace
}  // namespace cassandra_bloom::testing
