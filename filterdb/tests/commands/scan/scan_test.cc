// SPDX-License-Identifier: Apache-2.0

// Tests the figures, texts and JSON of "filterdb scan", and which SSTables it
// looks at. What it finds of each fault: ../mend/faults_test.cc.

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "filterdb/tests/commands/scan/scan_fixture.h"
#include "filterdb/tests/fake_sstable/checksums.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class ScanTest : public ScanFixture {};

// ---- Figures ----

TEST_F(ScanTest, FiguresOfAGoodFilter) {
  Write(SpecOf("nb"));
  Json one = TheOne();
  EXPECT_NEAR(one["fill_ratio"], 0.39, 0.02);
  EXPECT_NEAR(one["expected_rate"], 0.0094, 0.002);
  for (const char* const rounded :
       {"fill_ratio", "expected_rate", "set_bits", "bits_per_key"}) {
    EXPECT_TRUE(one[rounded].is_number());
    one.erase(rounded);
  }
  EXPECT_EQ(one, (Json{{"sstable", dir_ / "ks/t1/nb-1-big-Data.db"},
                       {"folder", dir_ / "ks/t1"},
                       {"name", "nb-1-big"},
                       {"version", "nb"},
                       {"state", "live"},
                       {"in_use", true},
                       {"verdict", "ok"},
                       {"harm", "none"},
                       {"incomplete", false},
                       {"findings", Json::array()},
                       {"filter_bytes", 1264},
                       {"probes", 5},
                       {"bits", 64 * ((1000 * 10 + 20 - 1) / 64 + 1)},
                       {"keys", 1000},
                       {"missing_keys", 0},
                       {"planned_fp_chance", 0.01},
                       {"plan_error", nullptr},
                       {"planned_bytes", 1264}}));
}

// filterdb scan queries a filter with 64 keys at once. It must find as many
// missing keys as filterdb check.
TEST_F(ScanTest, CountsMissingKeysAsCheckDoes) {
  SstableSpec spec;
  spec.fault = FilterFault::kKeysLeftOut;
  for (const int num_keys : {1, 2, 63, 64, 65, 129, 1000}) {
    spec.keys = Keys(static_cast<size_t>(num_keys));
    const WrittenSstable one = Write(spec);
    const Json check = Filterdb("check --json " + one.Path("Filter.db") +
                                " --index=" + one.Path("Index.db"))
                           .json();
    EXPECT_GT(check["missing"], 0);
    EXPECT_EQ(TheOne()["missing_keys"], check["missing"]) << num_keys;
  }
}

// Cassandra may size a filter for 128 keys even if the SSTable has fewer keys.
// For chances of 0.393 and more, it makes filters with a rate of 0.75. Neither
// is a fault.
TEST_F(ScanTest, FewKeysAndLargeChances) {
  for (const double chance : {0.01, 0.1, 0.35, 0.393, 0.4, 0.99}) {
    for (const size_t num_keys : {1U, 2U, 10U, 100U, 128U, 1000U}) {
      SstableSpec spec = SpecOf("nb", FilterFault::kNone, chance);
      spec.keys = Keys(num_keys);
      Write(spec);
      EXPECT_EQ(TheOne()["verdict"], "ok") << chance << ", " << num_keys;
    }
  }
}

// ---- The answer ----

class ScanAnswerTest : public ScanTest {
 protected:
  ScanAnswerTest() {
    SstableSpec spec = SpecOf("nb");
    Write(spec);
    spec.generation = "2";
    spec.fault = FilterFault::kEmpty;
    // Long ago, so that no node can be writing it.
    fs::last_write_time(
        Write(spec).Path("Filter.db"),
        fs::file_time_type::clock::now() - std::chrono::hours(1));
    // Cassandra 4.1 and later write such names.
    spec.generation = "3gvv_0pl7_0plgg2u6lpsl9k3v8h";
    spec.fault = FilterFault::kNone;
    spec.expected_keys = 4000;  // Four times the number of keys.
    Write(spec, "ks/t2");
    spec.generation = "4";
    spec.fault = FilterFault::kIndexCut;
    spec.expected_keys = 0;
    Write(spec, "ks/t2");
  }
};

TEST_F(ScanAnswerTest, Text) {
  const Ran ran = Exits(2, Scan());
  EXPECT_EQ(ran.err, "");
  std::string out = ran.out;
  for (size_t at; (at = out.find(dir_.path())) != std::string::npos;) {
    out.erase(at, dir_.path().size());
  }
  EXPECT_EQ(out,
            R"(/ks/t1
  version        keys  missing   k  bits/key    fill       rate    plan     size  plan size  SSTable
       nb        1000        0   5        10   0.391    0.914 %     1 %  1.26 KB    1.26 KB  nb-1-big: ok
       nb        1000        -   -         -       -      100 %     1 %      0 B    1.26 KB  nb-2-big: empty
      empty (wastes reads)

/ks/t2
  version        keys  missing   k  bits/key    fill       rate    plan     size  plan size  SSTable
       nb        1000        0   5      40.1   0.117  0.00219 %     1 %  5.02 KB    1.26 KB  nb-3gvv_0pl7_0plgg2u6lpsl9k3v8h-big: oversized
      oversized (wastes memory)
       nb           -        -   5         -   0.391    0.914 %     1 %  1.26 KB          -  nb-4-big: keys unreadable
      keys unreadable (SSTable damaged); nb-4-big-Index.db: byte 14464: ends inside a key; the file is damaged or of another SSTable version; restore the damaged file from a backup, or scrub the SSTable (nodetool scrub)

  SSTables  damaged  waste reads  waste memory  keys  filters  read in vain   mended  then in vain  would free  table
         2        0            1             0  2000  1.26 KB          1.01  2.53 KB        0.0184         0 B  /ks/t1
         2        1            0             1  1000  6.28 KB       0.00916  6.28 KB       0.00916     3.75 KB  /ks/t2
         4        1            1             1  3000  7.54 KB          1.02  8.81 KB        0.0276     3.75 KB  all
Without a stop, the node rewrites these small tables, with new filters:
    nodetool upgradesstables -a ks t1
Build the right filters while the node runs (filterdb mend PATH --run=DIR), then put them
in place while it is down, which takes seconds (filterdb install DIR).
Let the node rewrite what is damaged:
    nodetool scrub ks t2
After that, with the node up, repair what was hidden from compactions:
    nodetool repair --full ks t2
  The right filters alone bring the rows back. The repair is for deletions
  that a compaction forgot too early: run it before gc_grace_seconds have passed.
  A materialized view: drop and create it. Counters, and what a lightweight
  transaction wrote after a wrong read, stay wrong.
)");
}

// A table without faults has no line, and no sums of its own.
TEST_F(ScanAnswerTest, TextOfFaults) {
  Write(SpecOf("nb"), "ks/t3");
  const std::string out = Scan("--only-faults").out;
  EXPECT_THAT(out, HasSubstr(": empty\n"));
  EXPECT_THAT(out, HasSubstr(": oversized\n"));
  EXPECT_THAT(out, Not(HasSubstr(": ok\n")));
  EXPECT_THAT(out, HasSubstr(dir_ / "ks/t2\n         5 "));
  EXPECT_THAT(out, HasSubstr("  all\n"));
  EXPECT_THAT(Scan().out, HasSubstr("  " + dir_ / "ks/t3\n"));
}

TEST_F(ScanAnswerTest, Summary) {
  const Json report = Scan("--json").report();
  Json summary = report["summary"];
  ASSERT_EQ(summary["tables"].size(), 2U);
  EXPECT_EQ(summary["tables"][1]["folder"], dir_ / "ks/t2");
  EXPECT_EQ(summary["tables"][1]["sstable_damaged"], 1);
  EXPECT_NEAR(summary["reads_for_absent_key"], 1.018, 0.005);
  EXPECT_NEAR(summary["mended_reads_for_absent_key"], 0.027, 0.005);
  for (const char* const field :
       {"reads_for_absent_key", "mended_reads_for_absent_key", "tables"}) {
    summary.erase(field);
  }
  EXPECT_EQ(summary, (Json{{"exit_status", 2},
                           {"harm", "SSTable damaged"},
                           {"incomplete", false},
                           {"sstables", 4},
                           {"refused", 0},
                           {"hides_rows", 0},
                           {"sstable_damaged", 1},
                           {"wastes_reads", 1},
                           {"wastes_memory", 1},
                           {"not_known", 0},
                           {"left_out", 0},
                           {"keys", 3000},
                           {"missing_keys", 0},
                           {"filter_bytes", 1264 + 0 + 5016 + 1264},
                           {"mended_filter_bytes", 1264 + 1264 + 5016 + 1264},
                           {"oversized_freed_bytes", 5016 - 1264},
                           {"tables_to_repair",
                            {{{"folder", dir_ / "ks/t2"},
                              {"command", "nodetool repair --full ks t2"}}}},
                           {"left_out_folders", Json::object()},
                           {"errors", 0}}));
}

TEST_F(ScanAnswerTest, WhatIf) {
  const Ran ran = Exits(2, Scan("--what-if=0.1,0.001 --json"));
  const Json summary = ran.report()["summary"];
  EXPECT_EQ(summary["what_if"].size(), 3U);
  EXPECT_EQ(summary["what_if"]["today"]["filter_bytes"],
            summary["filter_bytes"]);
  const Json& with = summary["tables"][0]["what_if"];
  EXPECT_EQ(with["today"]["filter_bytes"], 1264);
  EXPECT_NEAR(with["today"]["reads_for_absent_key"], 1.0093, 0.002);
  EXPECT_EQ(with["0.1"]["filter_bytes"],
            2 * (8 + 8 * (5 * 1000 + 83) / 64 / 8 * 8));
  EXPECT_NEAR(with["0.1"]["reads_for_absent_key"], 2 * 0.09, 0.005);
  EXPECT_NEAR(with["0.001"]["reads_for_absent_key"], 2 * 0.001, 0.0002);
  EXPECT_THAT(Scan("--what-if").out,
              MatchesRegex("  chance  filters  read in vain  table\n"
                           "  today   1.26 KB          1.01  .*/ks/t1\n"
                           "  0.001   .*/ks/t2\n  today .*  all\n(.|\n)*"));
  for (const char* const wrong : {"0", "1", "0.1,", "a", "0.1;0.2"}) {
    EXPECT_EQ(Scan(std::string("'--what-if=") + wrong + "'").exit_code, 64);
  }
}

TEST_F(ScanAnswerTest, ChangesNothing) {
  const auto names = dir_.Names();
  const auto time = fs::last_write_time(dir_ / "ks/t1");
  const std::string one = Scan("--jobs=1 --json").out;
  for (const std::string jobs : {"2", "64"}) {
    EXPECT_EQ(Scan("--json --jobs=" + jobs).out, one) << jobs;
  }
  for (const std::string jobs : {"0", "-5", "65", "1.5", "nan", "x"}) {
    EXPECT_EQ(Scan("--jobs=" + jobs).exit_code, 64) << jobs;
  }
  EXPECT_EQ(dir_.Names(), names);
  EXPECT_EQ(fs::last_write_time(dir_ / "ks/t1"), time);
}

// ---- PATHs ----

TEST_F(ScanTest, FilesStandForTheirSstables) {
  const WrittenSstable one = Write({});
  Write(FilterFault::kNone, "2");
  for (const char* const component :
       {"Data.db", "Index.db", "Statistics.db", "SAI+aa+GroupMeta.db"}) {
    if (!fs::exists(one.Path(component))) {
      WriteFile(one.Path(component), "");
    }
    const Ran ran = Filterdb("scan --json " + one.Path(component));
    EXPECT_EQ(ran.report()["sstables"].size(), 1U) << component << ran;
  }
  // An SSTable that several PATHs name is examined once.
  EXPECT_EQ(Filterdb("scan --json " + one.Path("Data.db") + " " + dir_.path() +
                     " " + one.Path("Filter.db"))
                .report()["sstables"]
                .size(),
            2U);
}

TEST_F(ScanTest, WrongPaths) {
  const Ran none = Exits(3, Filterdb("scan " + dir_ / "none"));
  EXPECT_EQ(none.out, "no SSTable found\n");
  EXPECT_THAT(none.err, HasSubstr("none: cannot open"));
  WriteFile(dir_ / "file", "");
  EXPECT_THAT(Exits(3, Filterdb("scan " + dir_ / "file")).err,
              HasSubstr("not a component of an SSTable"));
  Write({});
  const Ran both =
      Exits(3, Filterdb("scan --json " + dir_ / "none" + " " + dir_ / "ks"));
  EXPECT_EQ(both.report()["sstables"].size(), 1U);
  EXPECT_EQ(both.report()["errors"].size(), 1U);
  EXPECT_EQ(both.report()["summary"]["errors"], 1);
}

// An empty disk is no fault, and an alert can see that it is empty.
TEST_F(ScanTest, NoSstables) {
  fs::create_directory(dir_ / "lost+found");
  EXPECT_EQ(Exits(0, Scan()).out, "no SSTable found\n");
  EXPECT_EQ(Exits(0, Scan("--json")).report()["summary"]["sstables"], 0);
  const WrittenSstable one = Write({});
  fs::rename(one.Path("TOC.txt"), one.Path("TOC.txt.tmp"));
  EXPECT_THAT(Exits(0, Scan()).out, HasSubstr("nb-1-big: being written"));
}

// ---- A node that runs ----

// What a log may hold is tested in transaction_logs_test.cc.
TEST_F(ScanTest, Transactions) {
  Write(FilterFault::kNone);
  Write(FilterFault::kMissing, "2");  // The filter is not written yet.
  const std::string log =
      dir_ / "ks/t1/nb_txn_compaction_7b1cd1d0-1f5b-11ef-8f33-0f9a4e1c2b3d.log";
  const std::string removed =
      LogRecord("REMOVE", dir_ / "ks/t1/nb-1-big-", 0, 8);
  const std::string added = LogRecord("ADD", dir_ / "ks/t1/nb-2-big-", 0, 8);
  WriteFile(log, removed + added);
  EXPECT_THAT(Exits(0, Scan()).out, HasSubstr("nb-2-big: being written\n"));
  WriteFile(log, removed + added + LogRecord("COMMIT"));
  EXPECT_THAT(Exits(1, Scan()).out, HasSubstr("nb-1-big: obsolete\n"));
  // Both SSTables need the log, and its error is reported once.
  WriteFile(log, "damaged\n" + added);
  const Ran ran =
      Exits(3, Filterdb("scan --json " + dir_ / "ks/t1/nb-1-big-Data.db" + " " +
                        dir_ / "ks/t1/nb-2-big-Data.db"));
  EXPECT_EQ(ran.report()["sstables"].size(), 2U) << ran;
  EXPECT_EQ(ran.report()["errors"].size(), 1U) << ran;
  EXPECT_THAT(ran.err, HasSubstr(log));
}

// ---- The system's limits ----

// If the system allows few open files or few threads, filterdb scan must still
// find no fault.
TEST_F(ScanTest, ManyJobsWithFewFilesOrThreads) {
  SstableSpec spec = SpecOf("da");
  spec.keys = Keys(5000);
  for (int i = 1; i <= 60; ++i) {
    spec.generation = std::to_string(i);
    Write(spec);
  }
  const std::string scan = "scan --jobs=64 " + dir_.path();
  Exits(0, Filterdb(scan, "ulimit -n 1024;"));
#ifndef CASSANDRA_BLOOM_SANITIZED  // A sanitizer opens files of its own.
  // What make and ctest have open would count, too.
  const Ran few = Exits(
      3, Filterdb("scan --json " + dir_.path(),
                  "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 4;"));
  EXPECT_EQ(few.report()["summary"]["not_known"], 60) << few;
  EXPECT_THAT(few.out, HasSubstr(": Too many open files\""));
#endif
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can become another user";
  }
  fs::permissions(dir_.path(), fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  // The limit counts all processes of a user, so this user must have no other.
  const std::string user = std::to_string(60000 + getpid() % 5000);
  // The leak sanitizer needs a thread, so it is off.
  Exits(0, Filterdb(scan,
                    "ASAN_OPTIONS=detect_leaks=0 prlimit --nproc=1 setpriv "
                    "--reuid=" +
                        user + " --regid=65534 --clear-groups"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
