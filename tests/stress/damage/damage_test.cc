// SPDX-License-Identifier: Apache-2.0

// Damages a component of an SSTable, and runs filterdb. If the filter denies a
// key of Data.db, mend must not have written this filter, and scan must not
// call the filter good.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "tests/stress/damage/damaged_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/safe_folder.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

size_t NumCases() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_DAMAGES");
  return given == nullptr ? 100 : std::strtoull(given, nullptr, 10);
}

// Returns how many keys the filter denies. An unreadable filter denies all
// keys, and a missing filter denies none.
size_t NumDenied(const DamagedSstable& damaged) {
  const std::string path = damaged.start + "Filter.db";
  if (!std::filesystem::exists(path)) {
    return 0;
  }
  FilterForm form;
  std::string error;
  const auto filter = FormOfSstableVersion(damaged.version, &form, &error)
                          ? FilterDbFile::Open(path, form, &error)
                          : nullptr;
  size_t denied = 0;
  for (const std::string& key : damaged.keys) {
    denied += filter == nullptr || !filter->MayContain(key) ? 1 : 0;
  }
  return denied;
}

class DamageTest : public ::testing::Test {
 protected:
  void MendAndCheck(const std::vector<DamagedSstable>& all,
                    const std::string& folder) {
    const char* const chance =
        NextRandom(&random_) % 2 == 0 ? "" : " --default-fp-chance=0.01";
    const Ran mended = Filterdb("mend --in-place --run=" +
                                runs_ / ("run" + std::to_string(++num_runs_)) +
                                std::string(chance) + " " + folder);
    ASSERT_GE(mended.exit_code, 0) << mended;
    ASSERT_LE(mended.exit_code, 3) << mended;
    const Ran scanned = Filterdb("scan --json " + folder);
    ASSERT_GE(scanned.exit_code, 0) << scanned;
    std::map<std::string, Json> findings;
    const Json json = scanned.report();  // The loop below refers to `json`.
    for (const Json& one : json["sstables"]) {
      findings[one["sstable"]] = one;
    }
    for (const DamagedSstable& damaged : all) {
      Check(damaged, findings[damaged.start + "Data.db"]);
    }
  }

  void Check(const DamagedSstable& damaged, const Json& finding) {
    const bool is_written =
        ContentOf(damaged.start + "Filter.db") != damaged.filter;
    const bool is_good = finding.is_object() &&
                         finding.value("state", "") == "live" &&
                         finding.value("harm", "") == "none";
    const size_t denied = NumDenied(damaged);
    EXPECT_FALSE(is_written && denied > 0)
        << damaged.what << ": a filter was written that denies " << denied
        << " keys";
    EXPECT_FALSE(is_good && denied > 0)
        << damaged.what << ": called good, but denies " << denied << " keys";
    num_written_ += is_written ? 1 : 0;
    num_good_ += is_good ? 1 : 0;
  }

  const uint64_t seed_ = Seed();
  uint64_t random_ = seed_;
  const TempDir runs_{SafeFolder()};
  size_t num_runs_ = 0;
  size_t num_written_ = 0;
  size_t num_good_ = 0;
};

TEST_F(DamageTest, NoFilterDeniesAKey) {
  constexpr size_t kCasesAtOnce = 100;
  const TempDir whole;
  const std::vector<Pair> pairs = AllPairs(whole.path(), seed_);
  const size_t num_cases = NumCases();
  for (size_t begin = 0; begin < num_cases; begin += kCasesAtOnce) {
    const TempDir dir;
    std::vector<DamagedSstable> all;
    for (size_t i = begin; i < std::min(num_cases, begin + kCasesAtOnce); ++i) {
      const std::string folder = dir / "t" + std::to_string(i);
      std::filesystem::create_directory(folder);
      const Pair& pair = pairs[NextRandom(&random_) % pairs.size()];
      all.push_back(Damage(pair, folder, &random_));
    }
    MendAndCheck(all, dir.path());
  }
  std::printf(
      "%zu damaged SSTables: %zu filters written, %zu good in the end\n",
      num_cases, num_written_, num_good_);
  EXPECT_GT(num_written_, 0U);
  EXPECT_GT(num_good_, 0U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
