// SPDX-License-Identifier: Apache-2.0

// What scan finds in SSTables with chosen faults, and what mend does with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "filterdb/tests/fake_sstable/checksums.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FaultsTest : public MendFixture {
 protected:
  void RemoveAll() {
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      fs::remove_all(entry.path());
    }
    NextRun();
  }
};

// A mended filter has the bytes of one that had no fault. The SSTables are
// copies of what Cassandra wrote, but ScyllaDB's are made.
TEST_F(FaultsTest, EachOfEachVersion) {
  const struct {
    FilterFault fault;
    const char* checks;
    uint64_t expected_keys = 0;
  } faults[] = {{FilterFault::kNone, ""},  // The first, because others need it.
                {FilterFault::kBitsCleared, "keys missing"},
                {FilterFault::kKeysLeftOut, "keys missing"},
                {FilterFault::kOtherForm, "keys missing, another form"},
                {FilterFault::kSaturated, "saturated, worse than planned"},
                {FilterFault::kNone, "worse than planned", 250},
                {FilterFault::kNone, "oversized", 20000},
                {FilterFault::kTruncated, "truncated"},
                {FilterFault::kEmpty, "empty"},
                {FilterFault::kMissing, "missing"},
                {FilterFault::kProbes0, "no probes"},
                {FilterFault::kIndexCut, "keys unreadable"}};
  for (const std::string version :
       {"ja", "jb", "ka", "la", "lb", "ma", "mb", "mc", "md", "me", "na", "nb",
        "oa", "da", "pa", "ea", "ms", "mt"}) {
    std::string good;
    for (const auto& each : faults) {
      SCOPED_TRACE(version + ", fault " + std::to_string(&each - faults));
      SstableSpec spec = RecordedSpec(version, each.fault, each.expected_keys);
      if (version == "ms" || version == "mt") {
        spec.recorded = "";
        spec.keys = Keys(500);
      }
      const WrittenSstable one = Write(spec);
      const Json found = TheOne();
      EXPECT_EQ(ChecksOf(found), each.checks) << found;
      EXPECT_EQ(found["version"], version);
      const bool has_keys = each.fault != FilterFault::kIndexCut;
      EXPECT_EQ(found["keys"], has_keys ? Json(one.keys.size()) : Json());
      const Ran ran = Exits(has_keys ? 0 : 2, MendInPlace());
      const bool is_mended = ran.out.find(": installed") != std::string::npos;
      const std::string checks = each.checks;
      EXPECT_EQ(is_mended, !checks.empty() && checks != "oversized" && has_keys)
          << ran;
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

struct FaultCase {
  const char* what;
  SstableSpec spec;
  Change change;
  const char* checks;     // What scan finds.
  const char* options;    // Those of mend.
  int exit_code;          // That of mend.
  const char* outcome;    // "" for none.
  const char* text = "";  // A part of a finding or of the reason.
};

Change Fifo(const char* component) {
  return [=](const WrittenSstable& one) {
    fs::remove_all(one.Path(component));
    EXPECT_EQ(mkfifo(one.Path(component).c_str(), 0600), 0);
  };
}

Change Link(const char* component) {
  return [=](const WrittenSstable& one) {
    const fs::path other = fs::path(one.prefix).parent_path() / "elsewhere";
    fs::rename(one.Path(component), other);
    fs::create_symlink(other, one.Path(component));
  };
}

void ALog(const WrittenSstable& one) {
  WriteFile(fs::path(one.prefix).parent_path() / "nb_txn_compaction_1.log",
            LogRecord("REMOVE", one.prefix, 1, 8));
}

std::vector<FaultCase> Cases() {
  const SstableSpec good = SpecOf("nb");
  const SstableSpec bad = SpecOf("nb", FilterFault::kBitsCleared);
  const SstableSpec of_scylla = SpecOf("me");
  const SstableSpec too_small =
      RecordedSpec("ic", FilterFault::kNone, /*expected_keys=*/250);
  const char* const missing = "keys missing";
  const std::string no_digests(4, '\0');  // A Scylla.db.
  return {
      {"bad", bad, NoChange, missing, "", 0, "built"},
      {"no filter is planned", SpecOf("nb", FilterFault::kNone, 1), NoChange,
       "", "", 0, ""},

      // Plans.
      {"no plan in the version", too_small, NoChange, "", "", 0, ""},
      {"a plan of the user", too_small, NoChange, "worse than planned",
       "--default-fp-chance=0.01", 0, "built"},
      {"a plan that Cassandra cannot keep",
       SpecOf("nb", FilterFault::kEmpty, 5e-5), NoChange,
       "empty, no filter planned", "", 1, "left", "from 0.0000671 to below 1"},

      // Other components. Without Statistics.db, nothing tells whether Index.db
      // has all keys, so it is not said that there is nothing to do.
      {"no Statistics.db", good, Remove("Statistics.db"), "keys not confirmed",
       "", 3, "left", "does not tell how many keys"},
      {"the same, of a version with a trie", SpecOf("da"),
       Remove("Statistics.db"), "keys not confirmed", "", 3, "left",
       "does not tell how many keys"},
      // What is known without the keys is said.
      {"an unknown compressor", WithLz4(SpecOf("nb", FilterFault::kTruncated)),
       ChangeCompressor, "truncated, not supported", "", 2, "left",
       "compressor XZ4Compressor: not supported"},
      {"no filter, no plan, but TOC.txt names it", good,
       Both(Remove("Filter.db"), Content("Statistics.db", "damaged")),
       "missing, but in TOC.txt, keys not confirmed", "", 3, "left",
       "Statistics.db"},
      {"a FIFO as filter", good, Fifo("Filter.db"), "filter unreadable", "", 2,
       "left", "not a regular file"},
      {"a FIFO as TOC.txt", good, Fifo("TOC.txt"), "TOC.txt damaged", "", 2,
       "left", "not a regular file"},
      {"a FIFO as Scylla.db", good, Fifo("Scylla.db"), "Scylla.db damaged", "",
       2, "left", "not a regular file"},
      {"a link as filter", bad, Link("Filter.db"), missing, "", 2, "left",
       "is a symbolic link"},
      {"a link as Data.db", bad, Link("Data.db"), missing, "", 2, "left",
       "is a symbolic link"},
      {"a link as Index.db", bad, Link("Index.db"), missing, "", 2, "left",
       "is a symbolic link"},
      {"a link as TOC.txt", bad, Link("TOC.txt"), missing, "", 2, "left",
       "is a symbolic link"},

      // TOC.txt. A full disk may cut it, so that it does not name Data.db.
      {"TOC.txt of 0 bytes", good, Content("TOC.txt", ""), "TOC.txt damaged",
       "", 2, "left", "components of the SSTable one a line"},
      {"a cut TOC.txt", bad, Content("TOC.txt", "Data.d"),
       "TOC.txt damaged, keys missing", "", 2, "left",
       "components of the SSTable one a line"},
      {"TOC.txt without the filter", good, Content("TOC.txt", "Data.db\n"),
       "not in TOC.txt", "", 0, ""},
      {"the same, of a bad filter", bad, Content("TOC.txt", "Data.db\n"),
       "keys missing, not in TOC.txt", "", 0, "built"},
      {"the same, of ScyllaDB", of_scylla,
       Both(Content("TOC.txt", "Data.db\n"), Content("Scylla.db", no_digests)),
       "not in TOC.txt", "", 0, "built"},
      {"no TOC.txt, of ScyllaDB", of_scylla,
       Both(Remove("TOC.txt"), Content("Scylla.db", no_digests)),
       "TOC.txt missing", "", 2, "left", "the node does not start"},
      {"no TOC.txt, of Cassandra", good, Remove("TOC.txt"), "", "", 0, ""},

      // What is around it.
      {"a log with its times", bad, ALog, "keys missing, times logged", "", 2,
       "left", "start the node once, stop it, then mend"},
  };
}

// A mend changes nothing. An install changes what was built, as its dry run
// says, and nothing else.
TEST_F(FaultsTest, Cases) {
  for (const FaultCase& each : Cases()) {
    SCOPED_TRACE(each.what);
    RemoveAll();
    each.change(Write(each.spec));
    const Json found = TheOne(each.options);
    EXPECT_EQ(ChecksOf(found), each.checks) << found;
    const std::string checks = each.checks;
    EXPECT_EQ(found["verdict"],
              checks.empty() ? "ok" : found["findings"][0]["check"]);
    const auto before = Files();
    const Ran ran =
        Exits(each.exit_code, Mend(std::string("--json ") + each.options));
    EXPECT_TRUE(Files() == before);
    const std::string outcome = each.outcome;
    const Json report = ran.report();
    ASSERT_EQ(report["sstables"].size(), outcome.empty() ? 0U : 1U) << ran;
    if (outcome.empty()) {
      continue;
    }
    const Json now = report["sstables"][0];
    EXPECT_EQ(now["outcome"], outcome);
    EXPECT_THAT(found["findings"].dump() + now.value("note", ""),
                HasSubstr(each.text));
    const bool is_left = outcome == "left";
    const Json dry_run = Install("--json --dry-run").report();
    EXPECT_TRUE(Files() == before);
    EXPECT_EQ(dry_run["sstables"][0]["outcome"],
              is_left ? "left" : "would be installed");
    Exits(each.exit_code, Install());
    EXPECT_EQ(Files() == before, is_left);
    if (!is_left) {
      EXPECT_EQ(TheOne("--default-fp-chance=0.01")["verdict"], "ok");
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
