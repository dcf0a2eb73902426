// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" on SSTables with chosen faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class MendTest : public MendFixture {};

// ---- Plans, and what is built ----

constexpr char kNobody[] = "65534";

// The plan of Statistics.db counts, even if another chance is given. So a mend
// never makes a filter worse than planned. (Version ic stores no chance.)
TEST_F(MendTest, TheDefaultChanceFillsUnknownPlansOnly) {
  const WrittenSstable known = Write(FilterFault::kBitsCleared);
  const WrittenSstable unknown =
      Write(RecordedSpec("ic", FilterFault::kBitsCleared));
  EXPECT_THAT(Exits(2, Mend()).out, HasSubstr("plan unknown; give "
                                              "--default-fp-chance"));
  NextRun();
  Exits(0, Mend("--default-fp-chance=0.01"));
  // What was built for another chance is not taken.
  Exits(0, MendInPlace("--default-fp-chance=0.5"));
  EXPECT_GT(fs::file_size(known.Path("Filter.db")),
            4 * fs::file_size(unknown.Path("Filter.db")));
}

TEST_F(MendTest, Oversized) {
  const WrittenSstable one =
      Write(SpecOf("nb", FilterFault::kNone, 0.01, /*expected_keys=*/10000));
  const auto size = fs::file_size(one.Path("Filter.db"));
  const uint64_t freed = Scan().report()["summary"]["oversized_freed_bytes"];
  EXPECT_THAT(Exits(0, Mend()).out, HasSubstr("nothing to do"));
  NextRun();
  Exits(0, MendInPlace("--oversized"));
  EXPECT_EQ(fs::file_size(one.Path("Filter.db")), size - freed);
  Exits(0, Scan());
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
  EXPECT_EQ(Exits(1, Scan()).report()["sstables"][0]["verdict"], "oversized");
  EXPECT_THAT(Exits(3, Mend("--oversized")).out,
              HasSubstr("another key than at position 0 of Data.db"));
  Exits(3, Install());
  EXPECT_TRUE(ReadFile(path) == before);
}

// An open file shows that the node runs, beside which a mend may work.
TEST_F(MendTest, BesideANodeThatRuns) {
  const WrittenSstable first = Write(FilterFault::kBitsCleared, "1");
  Write(FilterFault::kMissing, "2");
  const auto before = Files();
  const std::string hold = "exec 9<" + first.Path("Data.db") + ";";
  const Ran mend = Exits(0, Mend("--json", hold));
  EXPECT_EQ(mend.report()["summary"]["total"]["built"], 2);
  EXPECT_TRUE(Files() == before);
  EXPECT_THAT(Exits(0, Mend()).out,
              HasSubstr("2 built\nNothing is changed yet. Stop the node, then: "
                        "filterdb install " +
                        run() + "\n"));
}

// The same line again builds nothing anew, whose work is lost by no kill.
TEST_F(MendTest, IsContinued) {
  const WrittenSstable one = Write(FilterFault::kBitsCleared, "1");
  Write(FilterFault::kMissing, "2");
  Exits(0, Mend());
  const auto time = fs::last_write_time(run() + "/new/1");
  WriteFile(one.Path("Filter.db"), "");  // Built anew.
  Exits(0, Mend());
  Exits(0, Install());
  Exits(0, Scan());
  EXPECT_EQ(fs::last_write_time(run() + "/new/1"), time);
  EXPECT_THAT(
      Exits(3, Mend()).err,
      HasSubstr("was installed, or begun to be, which 'filterdb install " +
                run() + "' finishes; for a new run, give a new"));
}

// ---- The user of the node ----

TEST_F(MendTest, AnotherUser) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can make files of another user";
  }
  const WrittenSstable one = Write(FilterFault::kBitsCleared);
  const std::string as_nobody = std::string("setpriv --reuid=") + kNobody +
                                " --regid=" + kNobody + " --clear-groups";
  fs::permissions(dir_.path(), fs::perms::all);
  fs::permissions(runs_.path(), fs::perms(0755));
  const auto chown_to = [&](const std::string& user, const std::string& what) {
    Exits(0, {RunProcess({"/bin/chown", user, what}), what});
  };
  fs::create_directory(run());
  chown_to(kNobody, run());
  const auto before = Files();
  const std::string advice =
      "belongs to root; run: sudo setpriv --reuid=0 --regid=0 --clear-groups "
      "filterdb …";
  EXPECT_THAT(Exits(2, Mend("", as_nobody)).out, HasSubstr(advice));
  // Root refuses the folder of another user, with the line to paste.
  const std::string line =
      "setpriv --reuid=65534 --regid=65534 "
      "--clear-groups filterdb ";
  EXPECT_THAT(Exits(3, Install()).err,
              HasSubstr(run() + ": belongs to nobody; run: " + line +
                        "install " + run()));
  EXPECT_THAT(Exits(3, Install("--undo")).err,
              HasSubstr(line + "install " + run() + " --undo"));
  EXPECT_THAT(Exits(3, Mend()).err,
              HasSubstr(line + "mend --run=" + run() + " …"));
  fs::permissions(one.Path("Index.db"), fs::perms(0600));
  const Ran closed = Exits(3, Mend("", as_nobody));
  EXPECT_THAT(closed.err, HasSubstr(one.Path("Index.db") + ": cannot open"));
  EXPECT_THAT(closed.err, HasSubstr(advice));
  fs::permissions(one.Path("Index.db"), fs::perms(0644));
  NextRun();
  chown_to(kNobody, one.Path("Data.db"));
  EXPECT_THAT(Exits(2, Mend()).out,
              HasSubstr("and its folder to root; give both to the user of the "
                        "node (chown)"));
  chown_to(kNobody, dir_ / "ks/t1");
  EXPECT_THAT(Exits(2, Mend()).out, HasSubstr("run: " + line + "…"));
  EXPECT_TRUE(Files() == before);
  NextRun();
  fs::create_directory(run());
  chown_to(kNobody, run());
  Exits(0, MendInPlace("", as_nobody));
  struct stat status;
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &status), 0);
  EXPECT_EQ(std::to_string(status.st_uid), kNobody);
}

// A user without a name, as of a container, has a number.
TEST_F(MendTest, AUserWithoutAName) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can make files of another user";
  }
  const WrittenSstable one = Write(FilterFault::kBitsCleared);
  for (const std::string& path : {dir_ / "ks/t1", one.Path("Data.db")}) {
    ASSERT_EQ(chown(path.c_str(), 1999, 1999), 0);
  }
  const std::string as_user =
      "setpriv --reuid=1999 --regid=1999 --clear-groups";
  EXPECT_THAT(
      Exits(2, Mend()).out,
      HasSubstr("belongs to user 1999; run: " + as_user + " filterdb …"));
  // What the line says works.
  NextRun();
  fs::permissions(dir_.path(), fs::perms(0755));
  fs::permissions(runs_.path(), fs::perms(0755));
  fs::create_directory(run());
  ASSERT_EQ(chown(run().c_str(), 1999, 1999), 0);
  Exits(0, Mend("", as_user));
}

TEST_F(MendTest, FoldersThatCannotBeWrittenTo) {
  Write(FilterFault::kBitsCleared);
  fs::permissions(dir_ / "ks/t1", fs::perms(0500));
  EXPECT_THAT(Exits(2, Mend("", WithoutPrivileges())).out,
              HasSubstr(dir_ / "ks/t1: cannot create files in this folder"));
  fs::permissions(dir_ / "ks/t1", fs::perms(0700));
  NextRun();
  fs::permissions(runs_.path(), fs::perms(0500));
  EXPECT_THAT(Exits(3, Mend("", WithoutPrivileges())).err,
              HasSubstr(run() + ": cannot make the folder"));
  fs::permissions(runs_.path(), fs::perms(0700));
}

// ---- The folder of the run ----

TEST_F(MendTest, FoldersThatAreRefused) {
  Write(FilterFault::kBitsCleared);
  const std::string ks = dir_ / "ks";
  fs::create_directories(runs_ / "full");
  WriteFile(runs_ / "full/file", "");
  WriteFile(runs_ / "file", "");
  fs::create_directories(runs_ / "sticky");
  fs::permissions(runs_ / "sticky", fs::perms(01777));
  fs::create_directories(runs_ / "open/run");
  fs::permissions(runs_ / "open", fs::perms(0777));
  fs::create_directories(runs_ / "data");
  WriteFile(runs_ / "data/nb-2-big-Data.db", "");
  fs::create_directory_symlink(runs_ / "full", runs_ / "link");
  const auto before = Files();
  for (const auto& [folder, error] :
       std::vector<std::pair<std::string, std::string>>{
           {runs_ / "sticky/run",
            "has the mode 1777, so that others could change what is in it; "
            "give a folder elsewhere, not below /tmp"},
           {runs_ / "open/run",
            "has the mode 0777, so that others could change what is in it; "
            "chmod go-w it, or give a folder elsewhere"},
           {runs_ / "open/new", runs_ / "open: belongs to "},
           {runs_ / "link", runs_ / "link: is a link; give the path that it"},
           {runs_ / "link/new", runs_ / "link: is a link"},
           {runs_ / "full", "full: is not empty, and not the folder of a run"},
           {runs_ / "file", runs_ / "file/new: cannot make the folder"},
           {runs_ / "none/run", runs_ / "none: cannot open"},
           {dir_ / "ks/run", "is below PATH; give a folder outside"},
           {runs_ / "data/run", "which holds SSTables; give a folder outside"},
       }) {
    SCOPED_TRACE(folder);
    EXPECT_THAT(Exits(3, Filterdb("mend " + ks + " --run=" + folder)).err,
                HasSubstr(error));
  }
  EXPECT_TRUE(Files() == before);
}

TEST_F(MendTest, AFullDiskBehindTheRun) {
  Write(FilterFault::kBitsCleared);
  Exits(3, Mend("", "trap '' XFSZ; ulimit -f 0;"));
  NextRun();
  EXPECT_THAT(Exits(2, Mend("", "trap '' XFSZ; ulimit -f 2;")).out,
              HasSubstr("/new/1: cannot write: File too large"));
}

// What is left is said once, also if its path cannot be in the list of the run.
TEST_F(MendTest, InPlaceSaysOnceWhatIsLeft) {
  Write(FilterFault::kBitsCleared);
  for (const std::string folder : {"ks/t2", "ks/a\nb"}) {
    SCOPED_TRACE(folder);
    const std::string filter =
        Write(FilterFault::kBitsCleared, "1", folder).Path("Filter.db");
    if (folder == "ks/t2") {
      fs::rename(filter, dir_ / "filter");
      fs::create_symlink(dir_ / "filter", filter);
    }
    const Json report = Exits(2, MendInPlace("--json")).report();
    EXPECT_EQ(report["summary"]["total"]["left"], 1);
    int num_lines = 0;
    for (const Json& sstable : report["sstables"]) {
      num_lines += sstable["filter"] == filter ? 1 : 0;
    }
    EXPECT_EQ(num_lines, 1);
    fs::remove_all(dir_ / folder);
    NextRun();
  }
}

TEST_F(MendTest, JsonHasTotalsAndErrors) {
  for (const std::string generation : {"1", "2", "10"}) {
    Write(FilterFault::kMissing, generation);
  }
  const std::string toc = dir_ / "ks/t1/nb-10-big-TOC.txt";
  fs::rename(toc, toc + ".tmp");  // The SSTable is being written.
  const Ran ran = Exits(3, Mend("--json " + dir_ / "absent"));
  const Json report = ran.report();
  EXPECT_EQ(report["summary"]["total"], (Json{{"built", 2}}));
  EXPECT_EQ(report["summary"]["errors"], 1);
  EXPECT_EQ(report["sstables"][0]["bytes"], 1264);
  EXPECT_EQ(report["sstables"][0]["keys"], 1000);
  ASSERT_EQ(report["errors"].size(), 1U);
  EXPECT_THAT(ran.err, HasSubstr(report["errors"][0].get<std::string>()));
}

}  // namespace
}  // namespace cassandra_bloom::testing
