// SPDX-License-Identifier: Apache-2.0

// Helpers for the tests of `sst_filters doctor`.

#ifndef CASSANDRA_BLOOM_TESTS_SST_FILTERS_DOCTOR_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SST_FILTERS_DOCTOR_CHECKS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Returns a cassandra_bloom policy with blocks=rocksdb.
inline PolicyPtr BesideRocksdb(double bits_per_key = 10) {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicyBesideRocksdb(bits_per_key));
}

// Returns RocksDB's Ribbon policy, which gives Ribbon filters to level 0, too.
inline PolicyPtr RibbonPolicy() {
  return PolicyPtr(
      rocksdb::NewRibbonFilterPolicy(10, /*bloom_before_level=*/-1));
}

// A database with `num_files` files in level 0. Each file has 1000 rows of its
// own.
class FilledDb : public TestDb {
 public:
  explicit FilledDb(const rocksdb::Options& options = DbOptions(OurPolicy()),
                    uint32_t num_files = 1)
      : TestDb(options) {
    for (uint32_t i = 0; i < num_files; ++i) {
      AddFile(this, 1000 * i, 1000 * i + 1000);
    }
  }
};

inline std::vector<std::string> SstsIn(const std::string& folder) {
  std::vector<std::string> ssts;
  for (const std::string& name : NamesIn(folder)) {
    if (std::filesystem::path(name).extension() == ".sst") {
      ssts.push_back(folder + "/" + name);
    }
  }
  return ssts;
}

inline std::string ManifestOf(const std::string& folder) {
  std::string current = ReadFile(folder + "/CURRENT");
  current.pop_back();  // Removes the newline.
  return folder + "/" + current;
}

inline bool IsWriteAheadLog(const std::string& file) {
  return file.size() > 4 && file.compare(file.size() - 4, 4, ".log") == 0;
}

inline Ran Doctor(const TestDb& db, const std::string& options = "--json") {
  auto before = StateOf(db.path());
  const Ran ran = SstFilters("doctor --db=" + db.path() + " " + options);
  const auto after = StateOf(db.path());
  // RocksDB itself removes old write-ahead logs, some time after a flush.
  for (auto file = before.begin(); file != before.end();) {
    const bool is_gone =
        IsWriteAheadLog(file->first) && after.count(file->first) == 0;
    file = is_gone ? before.erase(file) : std::next(file);
  }
  EXPECT_EQ(after, before);
  return ran;
}

inline Json VerdictOf(const Ran& ran) {
  return ran.json()["column_families"][0]["verdict"];
}

inline double FalsePositives(const Json& verdict) {
  return verdict["false_positives_per_absent_read"];
}

// Expects these numbers of files by state, and no files in other states.
inline void ExpectFiles(const Json& verdict,
                        std::map<std::string, int> expected) {
  for (const char* const state :
       {"good", "rocksdbs", "saturated", "damaged", "other_form",
        "other_partition_keys", "other_policy", "unfiltered", "none_expected",
        "unreadable", "missing"}) {
    EXPECT_EQ(verdict.at("files").value(state, -1), expected[state]) << state;
  }
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SST_FILTERS_DOCTOR_CHECKS_H_
