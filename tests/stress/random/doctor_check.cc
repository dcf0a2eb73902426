// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/stress/random/database.h"
#include "tests/stress/random/failure.h"
#include "tests/stress/random/trial.h"
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
}

}  // namespace

void CheckByDoctor(const std::string& path, Configuration configuration,
                   const Written& written, Draws* draws) {
  // The block cache of earlier openings may have filters as another policy
  // reads them.
  for (FamilyConfiguration& family : configuration.families) {
    family.uses_kept_cache = false;
  }
  Database db;
  db.Open(configuration, Stand::kOurs, path, /*read_only=*/true);
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
