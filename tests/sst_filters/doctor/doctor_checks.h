// SPDX-License-Identifier: Apache-2.0

// Helpers for the tests of `sst_filters doctor`.

#ifndef CASSANDRA_BLOOM_TESTS_SST_FILTERS_DOCTOR_DOCTOR_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SST_FILTERS_DOCTOR_DOCTOR_CHECKS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>

#include "plugin/filter_db/read_file.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

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

// Adds a column family with two keys in a file.
inline void AddColumnFamily(TestDb* db, const std::string& name,
                            const rocksdb::Options& options,
                            bool is_dropped_again = false) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require((*db)->CreateColumnFamily(options, name, &family));
  for (const char* const key : {"a", "b"}) {
    Require((*db)->Put({}, family, key, ""));
  }
  Require((*db)->Flush({}, family));
  if (is_dropped_again) {
    Require((*db)->DropColumnFamily(family));
  }
  Require((*db)->DestroyColumnFamilyHandle(family));
}

inline void CompactLevel0To(int level, const TestDb& db) {
  Require(CompactFilesTo(level, db.get(), /*of_level_0=*/true));
}

inline void RemoveFiles(const TestDb& db, const std::string& prefix) {
  for (const std::string& name : NamesIn(db.path())) {
    if (name.rfind(prefix, 0) == 0) {
      std::filesystem::remove(db.path() + "/" + name);
    }
  }
}

// Expects that doctor changes nothing in the folder.
inline Ran Doctor(const TestDb& db, const std::string& options = "--json") {
  auto before = StateOf(db.path());
  const Ran ran = SstFilters("doctor --db=" + db.path() + " " + options);
  const auto after = StateOf(db.path());
  // RocksDB itself removes old write-ahead logs, some time after a flush.
  for (auto file = before.begin(); file != before.end();) {
    const bool is_gone =
        EndsWith(file->first, ".log") && after.count(file->first) == 0;
    file = is_gone ? before.erase(file) : std::next(file);
  }
  EXPECT_EQ(after, before);
  return ran;
}

inline Json FamilyOf(const Ran& ran) {
  return ran.json()["column_families"][0];
}

// Returns the only fault, or what could not be asked, of the only column
// family.
inline Json ProblemOf(const Ran& ran) {
  const Json family = FamilyOf(ran);
  Json problems = Json::array();
  for (const auto& [why, reason] : family["reasons"].items()) {
    if (reason["use"] == "not_used" || reason["use"] == "not_asked") {
      problems.push_back(reason);
      problems.back()["why"] = why;
    }
  }
  EXPECT_EQ(problems.size(), 1U) << problems;
  return problems.empty() ? Json() : problems[0];
}

inline std::string WhyOf(const Ran& ran) { return ProblemOf(ran)["why"]; }
inline std::string RemedyOf(const Ran& ran) { return ProblemOf(ran)["to_do"]; }

// Returns the sums of all levels.
inline Json AllOf(const Json& family) { return family["all"]; }

inline Json AllOf(const Ran& ran) { return AllOf(FamilyOf(ran)); }

inline double FalsePositives(const Json& family) {
  return AllOf(family)["false_positives"];
}

// Returns how many of 100 look-ups of keys that are in no file a filter denies.
inline uint64_t DeniedOf100(TestDb* db) {
  db->ResetStatistics();
  std::string value;
  for (const std::string& key : NumberedDataset(1000, 100).absent) {
    EXPECT_TRUE((*db)->Get({}, key, &value).IsNotFound());
  }
  return db->ReadsFiltered();
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SST_FILTERS_DOCTOR_DOCTOR_CHECKS_H_
