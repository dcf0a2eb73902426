// SPDX-License-Identifier: Apache-2.0

// Runs the commands on the SSTables of every version that a Cassandra wrote
// (tests/data/recorded). The readers are tested with them in
// sstable_checks_test.cc and statistics_db_test.cc.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/sstable_version.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/safe_folder.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

std::string NameOf(const fs::path& folder) { return folder.filename(); }

// The tables, each with its SSTables, one of each version.
std::map<std::string, std::vector<std::string>> FoldersByTable() {
  std::map<std::string, std::vector<std::string>> folders;
  for (const std::string& folder : RecordedSstables()) {
    folders[NameOf(folder).substr(3)].push_back(folder);
  }
  return folders;
}

// Returns the folders as words of a command.
std::string PathsOf(const std::vector<std::string>& folders) {
  std::string paths;
  for (const std::string& folder : folders) {
    paths += "'" + folder + "' ";
  }
  return paths;
}

TEST(RecordedTest, EveryVersion) {
  const std::set<std::string> versions = {
      "ia", "ib", "ic", "ja", "jb", "ka", "la", "lb", "ma", "mb",
      "mc", "md", "me", "na", "nb", "oa", "da", "pa", "ea"};
  for (const auto& [table, folders] : FoldersByTable()) {
    std::set<std::string> expected;
    for (const std::string& version : versions) {
      if (table != "zstd" || FindSstableVersion(version)->form == kNaAndLater) {
        expected.insert(version);
      }
    }
    std::set<std::string> recorded;
    for (const std::string& folder : folders) {
      const std::string data = ComponentIn(folder, "Data.db");
      std::string version;
      std::string error;
      EXPECT_TRUE(SstableVersionOfFileName(data, &version, &error)) << error;
      EXPECT_EQ(version, NameOf(folder).substr(0, 2));
      recorded.insert(version);
    }
    EXPECT_EQ(recorded, expected) << table;
  }
  EXPECT_EQ(RecordedSstables().size(), 4 * versions.size() + 6);
}

TEST(RecordedTest, ScanSaysWell) {
  const Json report =
      Exits(0, Filterdb("scan --json " + PathsOf(CassandraSstables()) +
                        PathsOf(RecordedSstables())))
          .report();
  EXPECT_EQ(report["errors"].size(), 0U) << report;
  EXPECT_EQ(report["sstables"].size(),
            CassandraSstables().size() + RecordedSstables().size());
  for (const Json& one : report["sstables"]) {
    const std::string folder = one["folder"];
    EXPECT_EQ(one["verdict"], "ok") << one;
    EXPECT_EQ(one["keys"], HexLines(folder + "/keys.txt").size()) << one;
    EXPECT_EQ(one["missing_keys"], 0) << one;
    // Until 1.2, Statistics.db does not have bloom_filter_fp_chance.
    const std::string version = one["version"];
    EXPECT_EQ(one["planned_fp_chance"],
              version[0] == 'i' ? Json() : Json(PlannedFpChance(folder)))
        << one;
  }
}

// Until 1.2, the user tells for which chance a filter is planned.
TEST(RecordedTest, ScanSaysWellOfAGivenChance) {
  for (const auto& [table, folders] : FoldersByTable()) {
    Exits(0, Filterdb("scan --default-fp-chance=" +
                      std::to_string(PlannedFpChance(folders[0])) + " " +
                      PathsOf(folders)));
  }
}

TEST(RecordedTest, FindSeesKeys) {
  for (const auto& [table, folders] : FoldersByTable()) {
    SCOPED_TRACE(table);
    const std::string paths = PathsOf(folders);
    for (const std::string& folder : folders) {
      EXPECT_EQ(ReadFile(folder + "/keys.txt"),
                ReadFile(folders[0] + "/keys.txt"));
    }
    const std::vector<std::string> keys =
        Lines(ReadFile(folders[0] + "/keys.txt"));
    // sstable_keys_test.cc reads all of them.
    const size_t step = keys.size() / 12;
    for (size_t i = 0; i < keys.size(); i += step) {
      const Ran ran =
          Exits(0, Filterdb("find --json " + paths + "--key=" + keys[i]));
      const Json report = ran.report();
      EXPECT_EQ(report["summary"]["found"], folders.size()) << ran;
      for (const Json& one : report["sstables"]) {
        EXPECT_EQ(one["found"], "yes") << one;
      }
    }
    const Ran ran = Exits(0, Filterdb("find --json " + paths + "--key=abcdef"));
    EXPECT_EQ(ran.report()["summary"]["found"], 0) << ran;
  }
}

TEST(RecordedTest, MendMakesCassandrasFilters) {
  for (const auto& [table, folders] : FoldersByTable()) {
    SCOPED_TRACE(table);
    const TempDir copies(FolderInMemory());
    const TempDir runs(SafeFolder());
    for (const std::string& folder : folders) {
      const std::string copy = copies / NameOf(folder);
      fs::copy(folder, copy);
      fs::remove(ComponentIn(copy, "Filter.db"));
    }
    Exits(0, Filterdb("mend " + copies.path() + " --in-place --run=" +
                      runs / "run" + " --default-fp-chance=" +
                      std::to_string(PlannedFpChance(folders[0]))));
    for (const std::string& folder : folders) {
      // A compaction sizes its filter for an estimate.
      if (table != "wide") {
        EXPECT_TRUE(
            ReadFile(ComponentIn(copies / NameOf(folder), "Filter.db")) ==
            ReadFile(ComponentIn(folder, "Filter.db")))
            << folder;
      }
    }
    Exits(0, Filterdb("scan " + copies.path()));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
