// SPDX-License-Identifier: Apache-2.0

// What scan finds in SSTables with chosen faults, and what mend does with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "filterdb/tests/fake_sstable/log_record.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FaultsTest : public MendFixture {
 protected:
  // Returns what scan prints about the only SSTable.
  Json TheOne(const std::string& options = "") const {
    const Ran ran = Filterdb("scan --json " + options + " " + dir_ / "ks");
    const Json json = ran.json();
    EXPECT_EQ(json["sstables"].size(), 1U) << ran;
    const Json one = json["sstables"][0];
    const Json& total = json["total"];
    const bool is_judged =
        total["not_known"] == 0 && total["not_confirmed"] == 0;
    const int fault = one["fault"].get<bool>() ? 1 : 0;
    EXPECT_EQ(ran.exit_code, is_judged ? fault : 2) << ran;
    return one;
  }

  // Returns the names of all findings.
  static std::string ChecksOf(const Json& sstable) {
    std::string checks;
    for (const Json& finding : sstable["findings"]) {
      checks +=
          (checks.empty() ? "" : ", ") + finding["check"].get<std::string>();
    }
    return checks;
  }

  void RemoveAll() const {
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      fs::remove_all(entry.path());
    }
  }
};

// A mended filter has the bytes of one that had no fault.
TEST_F(FaultsTest, EachOfEachVersion) {
  const struct {
    FilterFault fault;
    const char* checks;
    bool is_fault;
    double fp_chance = 0.01;
    uint64_t expected_keys = 0;
  } faults[] = {
      {FilterFault::kNone, "", false},  // The first, because others need it.
      {FilterFault::kNone, "", false, /*fp_chance=*/1},
      {FilterFault::kBitsCleared, "keys missing", true},
      {FilterFault::kKeysLeftOut, "keys missing", true},
      {FilterFault::kOtherForm, "keys missing", true},
      {FilterFault::kSaturated, "saturated, worse than planned", true},
      {FilterFault::kNone, "worse than planned", true, 0.01, 500},
      {FilterFault::kNone, "oversized", false, 0.01, 4000},
      {FilterFault::kTruncated, "truncated", true},
      {FilterFault::kEmpty, "empty", true},
      {FilterFault::kMissing, "missing", true},
      {FilterFault::kProbes0, "filter unreadable", true},
      {FilterFault::kIndexCut, "keys unreadable", true}};
  for (const std::string version : {"ja", "jb", "ka", "la", "lb", "ma", "mc",
                                    "me", "ms", "mt", "na", "nb", "oa", "da"}) {
    std::string good;
    for (const auto& each : faults) {
      SCOPED_TRACE(version + ", fault " + std::to_string(&each - faults));
      const WrittenSstable one = Write(
          SpecOf(version, each.fault, each.fp_chance, each.expected_keys));
      const Json found = TheOne();
      EXPECT_EQ(ChecksOf(found), each.checks) << found;
      EXPECT_EQ(found["fault"], each.is_fault);
      EXPECT_EQ(found["version"], version);
      const bool has_keys = each.fault != FilterFault::kIndexCut;
      EXPECT_EQ(found["keys"], has_keys ? Json(1000) : Json());
      // Without bits, or without keys, the filter was not asked.
      EXPECT_EQ(found["missing_keys"].is_null(),
                found["bits_per_key"].is_null());
      const Ran ran = Mend("--no-backup");
      EXPECT_EQ(ran.exit_code, has_keys ? 0 : 1) << ran;
      const bool is_mended = ran.out.find(": mended") != std::string::npos;
      EXPECT_EQ(is_mended, each.is_fault && has_keys) << ran;
      if (good.empty()) {
        good = ReadFile(one.Path("Filter.db"));
      } else if (is_mended) {
        EXPECT_TRUE(ReadFile(one.Path("Filter.db")) == good);
        EXPECT_THAT(ReadFile(one.Path("TOC.txt")), HasSubstr("Filter.db\n"));
        Exits(0, Scan());
      }
      RemoveAll();
    }
  }
}

// ---- Other files, and options ----

// Changes the files of a written SSTable in the temporary folder `dir`.
using Change =
    std::function<void(const std::string& dir, const WrittenSstable& one)>;

struct FaultCase {
  const char* what;
  SstableSpec spec;
  Change change;
  const char* checks;     // What scan finds.
  const char* options;    // Those of mend. DIR stands for the temporary folder.
  int exit_code;          // That of mend.
  const char* outcome;    // "" for none.
  const char* text = "";  // A part of a finding or of the reason.
};

Change Remove(const char* component) {
  return [=](const std::string&, const WrittenSstable& one) {
    fs::remove(one.Path(component));
  };
}

Change Content(const char* component, const std::string& content) {
  return [=](const std::string&, const WrittenSstable& one) {
    WriteFile(one.Path(component), content);
  };
}

Change Fifo(const char* component) {
  return [=](const std::string&, const WrittenSstable& one) {
    fs::remove_all(one.Path(component));
    EXPECT_EQ(mkfifo(one.Path(component).c_str(), 0600), 0);
  };
}

Change Link(const char* component) {
  return [=](const std::string& dir, const WrittenSstable& one) {
    fs::rename(one.Path(component), dir + "/elsewhere");
    fs::create_symlink(dir + "/elsewhere", one.Path(component));
  };
}

Change Both(const Change& first, const Change& second) {
  return [=](const std::string& dir, const WrittenSstable& one) {
    first(dir, one);
    second(dir, one);
  };
}

void NoChange(const std::string&, const WrittenSstable&) {}

void AFile(const std::string& dir, const WrittenSstable&) {
  fs::create_directories(dir + "/out/t1");
  WriteFile(dir + "/out/t1/nb-1-big-Filter.db", "earlier");
}

// Another data directory has an SSTable in a table of the same name.
void AnotherSstable(const std::string& dir, const WrittenSstable& one) {
  fs::create_directories(dir + "/live/t1");
  fs::copy(one.Path("Data.db"), dir + "/live/t1/nb-7-big-Data.db");
}

void ALog(const std::string&, const WrittenSstable& one) {
  WriteFile(fs::path(one.prefix).parent_path() / "nb_txn_compaction_1.log",
            LogRecord("REMOVE", one.prefix, 1, 8));
}

SstableSpec WithLz4(SstableSpec spec) {
  spec.lz4 = true;
  return spec;
}

void UnknownCompressor(const std::string&, const WrittenSstable& one) {
  std::string info = ReadFile(one.Path("CompressionInfo.db"));
  info[2] = 'X';
  WriteFile(one.Path("CompressionInfo.db"), info);
}

std::vector<FaultCase> Cases() {
  const SstableSpec good = SpecOf("nb");
  const SstableSpec bad = SpecOf("nb", FilterFault::kBitsCleared);
  const SstableSpec of_scylla = SpecOf("me");
  const SstableSpec too_small =
      SpecOf("ic", FilterFault::kNone, 0.01, /*expected_keys=*/500);
  const char* const no_backup = "--no-backup";
  const char* const missing = "keys missing";
  const std::string no_digests(4, '\0');  // A Scylla.db.
  return {
      {"bad, kept", bad, NoChange, missing, "--backup-dir=DIR/new/old", 0,
       "mended"},
      {"bad, elsewhere", bad, NoChange, missing, "--out-dir=DIR/out", 1,
       "written"},

      // Plans.
      {"no plan in the version", too_small, NoChange, "", no_backup, 0, ""},
      {"a plan of the user", too_small, NoChange, "worse than planned",
       "--no-backup --default-fp-chance=0.01", 0, "mended"},
      {"a plan that Cassandra cannot keep",
       SpecOf("nb", FilterFault::kEmpty, 5e-5), NoChange,
       "empty, plan too small", no_backup, 1, "left", "Cassandra can keep"},

      // Other components. Without Statistics.db, nothing tells whether Index.db
      // has all keys, so it is not said that there is nothing to do.
      {"no Statistics.db", good, Remove("Statistics.db"), "keys not confirmed",
       no_backup, 2, "not known", "does not tell how many keys"},
      {"the same, of a version with a trie", SpecOf("da"),
       Remove("Statistics.db"), "keys not confirmed", no_backup, 2, "not known",
       "does not tell how many keys"},
      // What is known without the keys is said.
      {"an unknown compressor", WithLz4(SpecOf("nb", FilterFault::kTruncated)),
       UnknownCompressor, "truncated, not supported", no_backup, 2, "not known",
       "compressor XZ4Compressor: not supported"},
      {"no filter, no plan, but TOC.txt names it", good,
       Both(Remove("Filter.db"), Content("Statistics.db", "damaged")),
       "keys unreadable, missing", no_backup, 1, "left", "Statistics.db"},
      {"a FIFO as filter", good, Fifo("Filter.db"), "filter unreadable",
       no_backup, 1, "left", "not a regular file"},
      {"a FIFO as TOC.txt", good, Fifo("TOC.txt"), "TOC.txt damaged", no_backup,
       1, "left", "not a regular file"},
      {"a FIFO as Scylla.db", good, Fifo("Scylla.db"), "Scylla.db damaged",
       no_backup, 1, "left", "not a regular file"},
      {"a link as filter", bad, Link("Filter.db"), missing, no_backup, 1,
       "left", "is a symbolic link"},
      {"a link as Data.db", bad, Link("Data.db"), missing, no_backup, 1, "left",
       "is a symbolic link"},
      {"a link as Index.db", bad, Link("Index.db"), missing, no_backup, 1,
       "left", "is a symbolic link"},
      {"a link as TOC.txt", bad, Link("TOC.txt"), missing, no_backup, 1, "left",
       "is a symbolic link"},

      // TOC.txt. A full disk may cut it, so that it does not name Data.db.
      {"TOC.txt of 0 bytes", good, Content("TOC.txt", ""), "TOC.txt damaged",
       no_backup, 1, "left", "list the components"},
      {"a cut TOC.txt", bad, Content("TOC.txt", "Data.d"),
       "keys missing, TOC.txt damaged", no_backup, 1, "left",
       "list the components"},
      {"TOC.txt without the filter", good, Content("TOC.txt", "Data.db\n"),
       "not in TOC.txt", no_backup, 0, "mended"},
      {"the same, of ScyllaDB", of_scylla,
       Both(Content("TOC.txt", "Data.db\n"), Content("Scylla.db", no_digests)),
       "not loaded", no_backup, 0, "mended"},
      {"no TOC.txt, of ScyllaDB", of_scylla,
       Both(Remove("TOC.txt"), Content("Scylla.db", no_digests)),
       "TOC.txt missing", no_backup, 1, "left", "the node does not start"},
      {"no TOC.txt, of Cassandra", good, Remove("TOC.txt"), "", no_backup, 0,
       ""},

      // What is around it.
      {"a log with its times", bad, ALog, "keys missing, times logged",
       no_backup, 1, "left", "start the node once, then mend"},
      {"a filter is there", bad, AFile, missing, "--out-dir=DIR/out", 2,
       "failed", "will not be overwritten"},
      {"another SSTable is there", bad, AnotherSstable, missing,
       "--out-dir=DIR/live", 2, "failed", "outside the data directories"},
  };
}

// Runs each case with --dry-run and without. The dry run must predict the
// outcome, and change nothing. What is not mended must not be changed.
TEST_F(FaultsTest, Cases) {
  for (const FaultCase& each : Cases()) {
    SCOPED_TRACE(each.what);
    RemoveAll();
    each.change(dir_.path(), Write(each.spec));
    std::string options = each.options;
    const size_t chance = options.find("--default-fp-chance");
    const Json found =
        TheOne(chance == std::string::npos ? "" : options.substr(chance));
    EXPECT_EQ(ChecksOf(found), each.checks) << found;
    const std::string checks = each.checks;
    EXPECT_EQ(found["verdict"],
              checks.empty() ? "ok" : checks.substr(0, checks.find(", ")));
    const size_t at = options.find("DIR");
    if (at != std::string::npos) {
      options.replace(at, 3, dir_.path());
    }
    const std::string findings = found["findings"].dump();
    const std::string outcome = each.outcome;
    const bool is_done = outcome == "mended" || outcome == "written";
    const auto before = Files();
    const Ran dry_run = Mend("--json --dry-run " + options);
    EXPECT_EQ(dry_run.exit_code, is_done ? 1 : each.exit_code) << dry_run;
    EXPECT_TRUE(Files() == before);
    const Ran ran = Exits(each.exit_code, Mend("--json " + options));
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
    EXPECT_THAT(findings + now.value("note", ""), HasSubstr(each.text));
    if (outcome == "mended") {
      EXPECT_EQ(TheOne("--default-fp-chance=0.01")["verdict"], "ok");
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
