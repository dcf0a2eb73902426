// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor.h"

#include <algorithm>
#include <new>
#include <set>

#include "plugin/policy/policy_settings.h"
#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {
namespace {

// ---- JSON ----

Json ToJson(const ExaminedSst& sst) {
  const Verdict& verdict = sst.verdict;
  return {{"file", sst.file.relative_filename},
          {"level", sst.level},
          {"use", verdict.use},
          {"keys", sst.keys},
          {"filter_keys", sst.filter_keys},
          {"filter_bytes", sst.filter_bytes},
          {"policy", sst.policy},
          {"rate", OrNull(verdict.rate)},
          {"asked_by_get", sst.answers.by_get > 0},
          {"asked_by_seek", sst.answers.by_seek > 0},
          {"why", verdict.why},
          {"to_do", verdict.remedy}};
}

// Returns an object: why filters are not used or not asked, and for each reason
// its SST files by level, or none if it is about the column family.
Json ReasonsOf(const ExaminedFamily& family) {
  Json reasons = Json::object();
  const auto levels_of = [&](const Verdict& verdict) -> Json& {
    Json& reason = reasons[verdict.why];
    reason["use"] = verdict.use;
    reason["to_do"] = verdict.remedy;
    reason["compact"] = verdict.compact;
    return reason["levels"];
  };
  for (const Verdict& verdict : family.others) {
    if (!verdict.why.empty()) {
      levels_of(verdict) = Json::object();
    }
  }
  for (const ExaminedSst& sst : family.ssts) {
    if (!sst.verdict.why.empty()) {
      levels_of(sst.verdict)[std::to_string(sst.level)].push_back(
          sst.file.relative_filename);
    }
  }
  return reasons;
}

std::vector<std::string> NotesOf(const ExaminedFamily& family,
                                 const Json& all) {
  std::vector<std::string> notes;
  const auto& cache = family.cache;
  const bool is_asked = !all.is_null() && all["asked_by_get"] > 0;
  if (is_asked && !family.table.whole_key_filtering) {
    notes.emplace_back(
        "RocksDB asks the filters for prefixes alone: the false positives are "
        "those of an absent prefix, and absent keys of present prefixes all "
        "pass");
  }
  if (is_asked && !SettingsOf(family.policy).partition_key.is_whole()) {
    notes.emplace_back(
        "the filters hold partition keys: the false positives are those of an "
        "absent partition, and absent keys of present partitions all pass");
  }
  const auto has_rate = [](const ExaminedSst& sst) {
    return sst.verdict.rate.has_value();
  };
  const auto rated =
      std::count_if(family.ssts.begin(), family.ssts.end(), has_rate);
  if (!all.is_null() && all["files"] > rated) {
    notes.emplace_back(
        "false positives are those of the files that could be asked: " +
        std::to_string(rated) + " of " + AsText(all["files"]));
  }
  if (cache && HasFiltersInCache(family)) {
    if (!all.is_null() && all["filter_bytes"] > cache->capacity) {
      notes.push_back("the filters are in the block cache, which is smaller: " +
                      AsSize(cache->capacity));
    }
    if (cache->is_strict) {
      notes.emplace_back(
          "the filters are in the block cache, which has "
          "strict_capacity_limit: RocksDB goes on without a filter that has no "
          "room");
    }
  }
  return notes;
}

// `costs` are those of CostsOf.
Json ToJson(const ExaminedFamily& family, const Json& costs) {
  Json json = {{"name", family.files.name},
               {"files", family.files.file_count},
               {"policy", family.is_policy_known || !family.policy.empty()
                              ? Json(family.policy)
                              : Json()}};
  json["levels"] = costs["levels"];
  json["all"] = costs["all"];
  json["notes"] = NotesOf(family, costs["all"]);
  Json& block_cache = json["block_cache"];
  if (const auto& cache = family.cache) {
    block_cache = {{"capacity", cache->capacity},
                   {"num_shard_bits", cache->num_shard_bits},
                   {"is_strict", cache->is_strict},
                   {"filter_bytes", OrNull(cache->filter_bytes)},
                   {"time", cache->counted_at}};
  }
  json["settings"] = costs["settings"];
  json["reasons"] = ReasonsOf(family);
  Json& ssts = json["ssts"] = Json::array();
  for (const ExaminedSst& sst : family.ssts) {
    ssts.push_back(ToJson(sst));
  }
  return json;
}

// `has_prefixes_alone` is whether a column family has filters of prefixes
// alone.
Json ToJson(const RocksdbLog& log, bool has_prefixes_alone) {
  if (log.file.empty()) {
    return nullptr;
  }
  Json json = {{"file", log.file}, {"has_statistics", log.has_statistics}};
  Json& tickers = json["tickers"];
  if (!log.tickers.empty()) {
    tickers = {
        {"time", log.time},
        {"look_ups_in_files", log.Ticker("memtable.miss")},
        {"absent_share", OrNull(log.AbsentShare())},
        {"useful", log.Ticker("bloom.filter.useful")},
        {"full_positive", log.Ticker("bloom.filter.full.positive")},
        {"full_true_positive", log.Ticker("bloom.filter.full.true.positive")},
        {"rate", has_prefixes_alone ? Json() : OrNull(log.Rate())},
        {"prefixes_checked", log.Ticker("bloom.filter.prefix.checked")},
        {"prefixes_denied", log.Ticker("bloom.filter.prefix.useful")},
    };
  }
  return json;
}

// ---- The command ----

struct DoctorArguments {
  DatabaseOnDisk database;
  bool no_forecast = false;
  bool json = false;
};

// What follows from the worst of all files.
struct Outcome {
  ExitCode exit_code;
  const char* last_line;
};

Outcome OutcomeOf(const Json& families) {
  std::set<Use> uses;
  bool has_files = false;
  bool has_filters = false;
  for (const Json& family : families) {
    has_files |= family["files"] > 0;
    has_filters |=
        !family["all"].is_null() && family["all"]["filter_bytes"] > 0;
    for (const Json& reason : family["reasons"]) {
      uses.insert(reason["use"].get<Use>());
    }
  }
  const auto has = [&](Use use) { return uses.count(use) > 0; };
  if (!has_files) {
    return {kGood, "no SST file yet: there is no filter to ask"};
  }
  // What could not be asked must not hide a fault.
  if (has(Use::kNotUsed)) {
    return {kHarm, has(Use::kNotAsked)
                       ? "there are faults, and not all could be asked; see "
                         "above what to do"
                       : "there are faults; see above what to do"};
  }
  if (has(Use::kNotAsked)) {
    return {kNotKnown,
            "not all could be asked, so it is not known whether all is well; "
            "see above why"};
  }
  if (has(Use::kMayBeDropped)) {
    return {kNotKnown,
            "not known whether RocksDB uses the filter of every SST file, as "
            "the block cache may drop the largest; see above"};
  }
  if (!has_filters) {
    return {kGood,
            "no SST file has a filter, which is no fault: see above why"};
  }
  return {kGood, uses.empty()
                     ? "all is well: RocksDB uses the filter of every SST file"
                     : "all is well: RocksDB uses the filter of every SST "
                       "file, but see above"};
}

// RocksDB may crash if there is no memory for its threads and small objects
// (seen under `ulimit -v`). If there is, what is too large is an exception.
void CheckAddressSpace() {
  constexpr size_t kBytes = 32 << 20;
  const std::unique_ptr<char[]> reserved(new (std::nothrow) char[kBytes]);
  if (reserved == nullptr) {
    throw Unusable("doctor needs 32 MB more of address space (ulimit -v)");
  }
}

ExitCode RunDoctor(const DoctorArguments& arguments) {
  CheckAddressSpace();
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "sst_filters was built for another release of RocksDB than this one");
  }
  ExaminedDatabase examined = Examine(arguments.database);
  const RocksdbLog log =
      ReadRocksdbLog(arguments.database.folder, examined.log_dir,
                     std::any_of(examined.families.begin(),
                                 examined.families.end(), NeedsAllLogs));
  bool has_prefixes_alone = false;
  Json families = Json::array();
  for (ExaminedFamily& family : examined.families) {
    Judge(log, &family);
    families.push_back(
        ToJson(family, CostsOf(family, log.AbsentShare(),
                               /*are_others_wanted=*/!arguments.no_forecast)));
    has_prefixes_alone |= !family.table.whole_key_filtering;
  }
  const Json running = ToJson(log, has_prefixes_alone);
  const Outcome outcome = OutcomeOf(families);
  if (arguments.json) {
    PrintJson({{"db", arguments.database.folder},
               {"exit_status", outcome.exit_code},
               {"column_families", families},
               {"log", running}});
    return outcome.exit_code;
  }
  for (const Json& family : families) {
    PrintFamily(family);
  }
  PrintLog(running);
  PrintText(std::string(outcome.last_line) + "\n");
  return outcome.exit_code;
}

}  // namespace

void AddDoctor(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "doctor",
      "Examines the filters of a RocksDB database, whatever its policy: does "
      "RocksDB use them, how good are they, and what would other settings "
      "give? Asks RocksDB by looking up keys that are in no file. It is a "
      "fault if a filter is not used");
  auto* const arguments = NewOptions(command, run, RunDoctor);
  AddDatabase(command, &arguments->database);
  command->add_flag("--no-forecast", arguments->no_forecast,
                    "Do not build filters to find out what other settings "
                    "would give, which takes up to a minute, and 30 MB");
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
