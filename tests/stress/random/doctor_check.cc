// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/doctor_check.h"

#include <rocksdb/comparator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/stress/random/failure.h"
#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {
namespace {

using Json = nlohmann::json;

// Looks up the keys. Returns what RocksDB counts meanwhile, by level.
std::map<uint32_t, rocksdb::PerfContextByLevel> CountsOf(
    const Database& db, size_t family, const std::set<std::string>& keys) {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext* const context = rocksdb::get_perf_context();
  context->EnablePerLevelPerfContext();
  context->Reset();
  rocksdb::ReadOptions options;
  // Otherwise RocksDB would not look below a range that was deleted.
  options.ignore_range_deletions = true;
  for (const std::string& key : keys) {
    std::string value;
    db->Get(options, db.handle(family), key, &value).PermitUncheckedError();
  }
  std::map<uint32_t, rocksdb::PerfContextByLevel> counts;
  if (context->level_to_perf_context != nullptr) {
    counts = *context->level_to_perf_context;
  }
  context->DisablePerLevelPerfContext();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  return counts;
}

// The filter of one SST file, as doctor says, and how often it is asked.
struct ExpectedSst {
  std::string smallest;
  std::string largest;
  double rate = 0;
  bool may_be_partitioned = false;
  double asked = 0;
};

// Whether the filter holds each whole key, so that doctor's random keys are as
// absent as any others. Filters of other policies hold a part of each key.
bool HoldsWholeKeys(const rocksdb::TableProperties& properties) {
  const auto& all = properties.user_collected_properties;
  const auto whole = all.find("rocksdb.block.based.table.whole.key.filtering");
  const std::string& policy = properties.filter_policy_name;
  return whole != all.end() && whole->second == "1" &&
         (policy == "cassandra_bloom" || policy == "bloomfilter" ||
          policy == "ribbonfilter");
}

// Returns the files whose filters RocksDB asks, or nothing if one of them does
// not hold whole keys.
std::vector<ExpectedSst> AskedSsts(const Json& family, const Database& db,
                                   rocksdb::ColumnFamilyHandle* handle) {
  std::map<std::string, Json> used;
  for (const Json& sst : family["ssts"]) {
    if (sst["use"] == "used") {
      used[sst["file"]] = sst;
    }
  }
  rocksdb::TablePropertiesCollection properties;
  RequireOk(db->GetPropertiesOfAllTables(handle, &properties), "properties");
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(handle, &meta);
  std::vector<ExpectedSst> asked;
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const auto sst = used.find(file.name.substr(file.name.rfind('/') + 1));
      if (sst == used.end()) {
        continue;
      }
      const auto& of_file = *properties.at(file.db_path + file.name);
      if (!HoldsWholeKeys(of_file)) {
        return {};
      }
      asked.push_back({file.smallestkey, file.largestkey, sst->second["rate"],
                       of_file.index_partitions > 0});
    }
  }
  return asked;
}

// Looks up keys that no file has. Throws a Failure if more or fewer pass than
// doctor says.
void CheckRates(const Json& family, const Database& db, size_t number,
                const KeyPool& pool, Draws* draws) {
  constexpr int kKeys = 2000;
  // How many random keys doctor asks the filter of each of a few files for.
  constexpr double kAskedByDoctor = 20000;
  // So far off that a correct doctor is not blamed in a billion databases.
  constexpr double kDeviations = 6;
  const rocksdb::Options options = db->GetOptions(db.handle(number));
  const rocksdb::Comparator& comparator = *options.comparator;
  // Without it, RocksDB asks for prefixes alone.
  const bool asks_for_keys =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
          ->whole_key_filtering;
  if (comparator.timestamp_size() > 0 || !asks_for_keys) {
    return;
  }
  std::vector<ExpectedSst> ssts = AskedSsts(family, db, db.handle(number));
  const std::set<std::string> present(pool.all().begin(), pool.all().end());
  std::set<std::string> absent;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = pool.Any(draws) + std::to_string(draws->Below(1e9));
    if (present.count(key) == 0 && absent.insert(key).second) {
      for (ExpectedSst& sst : ssts) {
        sst.asked += comparator.Compare(sst.smallest, key) <= 0 &&
                     comparator.Compare(key, sst.largest) <= 0;
      }
    }
  }
  double asked = 0;
  double expected = 0;
  double variance = 1;  // As a normal distribution needs more than one key.
  for (const ExpectedSst& sst : ssts) {
    // If no random key has passed, the rate may still be this.
    const double rate = std::max(sst.rate, 1 / kAskedByDoctor);
    asked += sst.asked;
    expected += sst.asked * sst.rate;
    variance +=
        rate * (1 - rate) * sst.asked * (1 + sst.asked / kAskedByDoctor);
  }
  // Files with the same keys let the same absent keys pass.
  variance *= std::max(1.0, asked / kKeys);
  // Doctor weighs partitions by their bytes. In a small one, RocksDB's Bloom
  // filter has 64 bytes, for however few keys.
  const bool may_be_partitioned = std::any_of(
      ssts.begin(), ssts.end(),
      [](const ExpectedSst& sst) { return sst.may_be_partitioned; });
  const double tolerance = may_be_partitioned ? 1 : 0.05;
  double denied = 0;
  double passed = 0;
  for (const auto& [level, counts] : CountsOf(db, number, absent)) {
    denied += static_cast<double>(counts.bloom_filter_useful);
    passed += static_cast<double>(counts.bloom_filter_full_positive);
  }
  // In a database of one level and few files, RocksDB also asks files for keys
  // outside of their range (FilePicker in db/version_set.cc).
  const double off = std::abs(passed - expected);
  if (denied + passed == asked && off > tolerance * expected &&
      off > kDeviations * std::sqrt(variance)) {
    throw Failure("doctor's share of absent keys that pass is wrong",
                  std::to_string(passed) + " passed, not " +
                      std::to_string(expected) + ": " + family.dump());
  }
}

void CheckFamily(const Json& family, const Database& db, size_t number,
                 const Written& written, Draws* draws) {
  for (const Json& sst : family["ssts"]) {
    if (sst["why"] == "RocksDB does not ask its filter") {
      throw Failure("doctor finds no reason", family.dump());
    }
    if (sst["use"] == "used" && !sst["asked_by_get"]) {
      throw Failure("doctor calls a filter used that is not asked",
                    family.dump());
    }
    // optimize_filters_for_hits makes RocksDB skip filters of the last level.
    const bool is_skipped = !sst["asked_by_get"] &&
                            (sst["filter_bytes"] == 0 ||
                             sst["level"] == family["levels"].back()["level"]);
    if (sst["use"] == "none_on_purpose" && !is_skipped) {
      throw Failure(
          "doctor says on purpose of a filter that RocksDB does not skip",
          family.dump());
    }
  }
  // Files that doctor could not ask may have filters that RocksDB asks here.
  for (const Json& reason : family["reasons"]) {
    if (reason["use"] == "not_asked") {
      return;
    }
  }
  std::map<uint32_t, uint64_t> asked;
  for (const Json& level : family["levels"]) {
    // Null if no key was looked up.
    asked[level["level"]] = level.value("asked_by_get", Json()).is_null()
                                ? 0
                                : level["asked_by_get"].get<uint64_t>();
  }
  // RocksDB also asks a file with one key for other keys, if the database has
  // only one level and few files (FilePicker in db/version_set.cc).
  for (const Json& sst : family["ssts"]) {
    if (sst["use"] == "no_keys") {
      asked[sst["level"]] += 1;
    }
  }
  constexpr int kLookUps = 1000;
  const KeyPool& pool = written.families[number].keys;
  std::set<std::string> keys;
  for (int i = 0; i < kLookUps; ++i) {
    keys.insert(pool.Any(draws));
  }
  for (const auto& [level, counts] : CountsOf(db, number, keys)) {
    if (counts.bloom_filter_useful > 0 && asked[level] == 0) {
      throw Failure("doctor does not see that a filter is asked",
                    "level " + std::to_string(level) + ": " + family.dump());
    }
  }
  CheckRates(family, db, number, pool, draws);
}

}  // namespace

void CheckDoctor(const std::string& path, const Database& db,
                 const Written& written, Draws* draws) {
  const ProcessResult ran = RunProcess(
      {CASSANDRA_BLOOM_SST_FILTERS, "doctor", "--json", "--db=" + path});
  const Json report = Json::parse(ran.out, nullptr, /*allow_exceptions=*/false);
  if (report.is_discarded() || !ran.err.empty() || ran.exit_code < 0 ||
      ran.exit_code == 1 || ran.exit_code > 3) {
    throw Failure("doctor fails", ran.err + ran.out);
  }
  for (const Json& family : report["column_families"]) {
    for (size_t i = 0; i < db.handles().size(); ++i) {
      if (db.handle(i)->GetName() == family["name"]) {
        CheckFamily(family, db, i, written, draws);
      }
    }
  }
}

}  // namespace cassandra_bloom::testing
