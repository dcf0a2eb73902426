// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" on SSTables with chosen faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class MendTest : public MendFixture {};

// ---- Plans, and what is changed ----

constexpr char kNobody[] = "65534";

void WithoutFilterInToc(const WrittenSstable& one) {
  std::string toc = ReadFile(one.Path("TOC.txt"));
  toc.erase(toc.find("Filter.db\n"), 10);
  WriteFile(one.Path("TOC.txt"), toc);
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
  spec.expected_keys = 10000;  // Ten times the number of keys.
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

// A scan compares the keys of the index with Data.db only if the filter denies
// one of them. This filter has the damaged key, too.
TEST_F(MendTest, OversizedBesideADamagedIndex) {
  SstableSpec spec;
  spec.keys = {"alice"};
  const WrittenSstable one = Write(spec);
  std::string error;
  const auto filter =
      FilterDbBuilder::ForFpChance(0.01, 10000, kNaAndLater, &error);
  filter->Add("alice");
  filter->Add("alicf");
  const std::string path = one.Path("Filter.db");
  ASSERT_TRUE(filter->Write(path, /*overwrite=*/true, &error)) << error;
  const std::string before = ReadFile(path);
  std::string index = ReadFile(one.Path("Index.db"));
  index.replace(index.find("alice"), 5, "alicf");
  WriteFile(one.Path("Index.db"), index);
  EXPECT_EQ(Exits(0, Scan()).json()["total"]["oversized"], 1);
  EXPECT_THAT(Exits(2, Mend("--no-backup --oversized")).out,
              HasSubstr("another key than at position 0 of Data.db"));
  EXPECT_TRUE(ReadFile(path) == before);
}

TEST_F(MendTest, CompletingTocKeepsTheFilter) {
  const WrittenSstable one = Write(FilterFault::kNone);
  const std::string toc = ReadFile(one.Path("TOC.txt"));
  WithoutFilterInToc(one);
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
    return;  // Only root can make files of another user.
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
      {"--undo=x --no-backup", "--undo excludes --no-backup"},
      {"--undo=x --jobs=1", "--undo excludes --jobs"},
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
