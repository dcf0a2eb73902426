// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom::tools {
namespace {

// ---- JSON ----

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json ToJson(const ExaminedSst& sst, const Verdict& verdict) {
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

// Where nothing was tried, there is no number of filters that were asked.
Json ToJson(const Json& level, const LevelSums& sums) {
  const auto if_tried = [](double tried, double asked) {
    return tried > 0 ? Json(std::llround(asked)) : Json();
  };
  return {{"level", level},
          {"files", std::llround(sums.files)},
          {"keys", std::llround(sums.keys)},
          {"filter_bytes", std::llround(sums.filter_bytes)},
          {"bits_per_key", sums.BitsPerKey()},
          {"rate", OrNull(sums.Rate())},
          {"asked_by_get", if_tried(sums.looked_up, sums.asked_by_get)},
          {"asked_by_seek", if_tried(sums.sought, sums.asked_by_seek)}};
}

Json ToJson(const Setting& setting) {
  const Costs& costs = setting.costs;
  return {{"policy", setting.policy},
          {"filter_bytes", std::llround(costs.all.filter_bytes)},
          {"bits_per_key", costs.all.BitsPerKey()},
          {"false_positives", OrNull(costs.absent_key_in_vain)},
          {"present_key_in_vain", OrNull(costs.present_key_in_vain)},
          {"bytes_to_build", setting.bytes_to_build
                                 ? Json(std::llround(*setting.bytes_to_build))
                                 : Json()}};
}

// Returns an object: why filters are not used or not asked, and for each reason
// its SST files by level, or none if it is about the column family.
Json ReasonsOf(const JudgedFamily& family) {
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
  for (size_t i = 0; i < family.ssts.size(); ++i) {
    if (!family.verdicts[i].why.empty()) {
      const ExaminedSst& sst = family.ssts[i];
      levels_of(family.verdicts[i])[std::to_string(sst.level)].push_back(
          sst.file.relative_filename);
    }
  }
  return reasons;
}

std::vector<std::string> NotesOf(const JudgedFamily& family, const Costs& costs,
                                 const std::optional<LoggedCache>& cache) {
  std::vector<std::string> notes;
  const bool is_asked = costs.all.asked_by_get > 0;
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
  if (costs.all.rated_files < costs.all.files) {
    notes.emplace_back(
        "false positives are those of the files that could be asked: " +
        std::to_string(std::llround(costs.all.rated_files)) + " of " +
        std::to_string(std::llround(costs.all.files)));
  }
  if (cache && HasFiltersInCache(family)) {
    if (costs.all.filter_bytes > static_cast<double>(cache->capacity)) {
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
  if (static_cast<double>(family.ssts.size()) < std::round(costs.all.files)) {
    notes.push_back("this is from a sample of " +
                    Count(family.ssts.size(), "SST file"));
  }
  return notes;
}

// ---- Text ----

std::string NamesOf(const Json& ssts) {
  constexpr size_t kMostNamed = 10;
  std::string names;
  for (size_t i = 0; i < std::min(ssts.size(), kMostNamed); ++i) {
    names += " " + AsText(ssts[i]);
  }
  return names + (ssts.size() > kMostNamed ? " ..." : "");
}

void PrintSums(const Json& family) {
  const Json& policy = family["policy"];
  Json sums;
  sums["title"] =
      "column family " + family["name"].get<std::string>() + ": " +
      (policy.is_null() ? "filter_policy not known"
       : policy == ""   ? "no filter_policy"
                        : "filter_policy=" + policy.get<std::string>());
  const Json& all = family["all"];
  if (!all.is_null()) {
    if (!all["false_positives"].is_null()) {
      sums["false positives of an absent key"] = all["false_positives"];
    }
    sums["memory of all filters"] = AsSize(all["filter_bytes"]);
  }
  const Json& now = family["settings"]["now"];
  if (!now.is_null() && !now["bytes_to_build"].is_null()) {
    sums["more memory while the largest file is written"] =
        AsSize(now["bytes_to_build"]);
  }
  const Json& cache = family["block_cache"];
  if (!cache.is_null() && cache["filter_bytes"] > 0) {
    sums["filters in the block cache"] = AsSize(cache["filter_bytes"]) +
                                         " of " + AsSize(cache["capacity"]) +
                                         ", at " + AsText(cache["time"]);
  }
  sums["note"] = family["notes"];
  PrintText(ListText(sums));
  Json rows = family["levels"];
  if (!all.is_null()) {
    rows.push_back(all);
    PrintText(TableText(rows, {{"level", "level"},
                               {"files", "files"},
                               {"keys", "keys"},
                               {"filter_bytes", "filter bytes"},
                               {"bits_per_key", "bits/key", AsThreeDigits},
                               {"rate", "absent pass", AsPercent},
                               {"asked_by_get", "asked: Get"},
                               {"asked_by_seek", "Seek"}}));
  }
}

void PrintReason(const std::string& why, const Json& reason) {
  const bool is_fault = reason["use"] == Use::kNotUsed;
  PrintText(std::string("  ") +
            (is_fault                              ? "fault: "
             : reason["use"] == Use::kNotAsked     ? "could not be asked: "
             : reason["use"] == Use::kMayBeDropped ? "not known: "
                                                   : "no fault: ") +
            Printable(why) + "\n");
  if (is_fault) {
    PrintText("    to do: " + AsText(reason["to_do"]) + "\n");
  }
  for (const auto& [level, ssts] : reason["levels"].items()) {
    PrintText("    level " + level + ", " + Count(ssts.size(), "SST file") +
              ":" + NamesOf(ssts) + "\n");
  }
}

void PrintSettings(const Json& settings) {
  Json rows = settings["rows"];
  if (!rows.empty()) {
    if (!settings["now"].is_null()) {
      rows.push_back(settings["now"]);
    }
    PrintText("  with other settings (blocks read in vain by a look-up):\n");
    PrintText(
        TableText(rows, {{"policy", "filter_policy"},
                         {"filter_bytes", "filters", AsSize},
                         {"bits_per_key", "bits/key", AsThreeDigits},
                         {"false_positives", "absent key", AsThreeDigits},
                         {"present_key_in_vain", "present key", AsThreeDigits},
                         {"bytes_to_build", "to build one", AsSize}}));
  }
  for (const Json& note : settings["notes"]) {
    PrintText("    " + AsText(note) + "\n");
  }
}

}  // namespace

Json ToJson(const JudgedFamily& family, const Costs& costs,
            const SettingsTable& settings,
            const std::optional<LoggedCache>& cache) {
  Json json = {{"name", family.files.name},
               {"files", family.files.file_count},
               {"policy", family.is_policy_known || !family.policy.empty()
                              ? Json(family.policy)
                              : Json()}};
  Json& levels = json["levels"] = Json::array();
  for (const auto& [level, sums] : costs.levels) {
    levels.push_back(ToJson(level, sums));
  }
  Json& all = json["all"];
  if (!costs.levels.empty()) {
    all = ToJson("all", costs.all);
    all["false_positives"] = OrNull(costs.absent_key_in_vain);
  }
  json["notes"] = NotesOf(family, costs, cache);
  Json& block_cache = json["block_cache"];
  if (cache) {
    block_cache = {{"capacity", cache->capacity},
                   {"num_shard_bits", cache->num_shard_bits},
                   {"is_strict", cache->is_strict},
                   {"filter_bytes", OrNull(cache->filter_bytes)},
                   {"time", cache->counted_at}};
  }
  Json rows = Json::array();
  for (const Setting& setting : settings.rows) {
    rows.push_back(ToJson(setting));
  }
  json["settings"] = {{"now", settings.now ? ToJson(*settings.now) : Json()},
                      {"rows", rows},
                      {"notes", settings.notes}};
  json["reasons"] = ReasonsOf(family);
  Json& ssts = json["ssts"] = Json::array();
  for (size_t i = 0; i < family.ssts.size(); ++i) {
    ssts.push_back(ToJson(family.ssts[i], family.verdicts[i]));
  }
  return json;
}

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

void PrintFamily(const Json& family) {
  PrintSums(family);
  PrintSettings(family["settings"]);
  bool needs_compaction = false;
  for (const auto& [why, reason] : family["reasons"].items()) {
    PrintReason(why, reason);
    needs_compaction |= reason["compact"].get<bool>();
  }
  // RocksDB may keep the next levels empty, so files of level 0 are not for
  // CompactFiles.
  if (needs_compaction) {
    PrintText(
        "    to compact all: CompactRange with "
        "bottommost_level_compaction=kForce\n"
        "    to compact only these: DB::CompactFiles with the files of a level "
        "(--json has all), and\n"
        "    that level as the output level; not for level 0\n");
  }
}

void PrintLog(const Json& log) {
  if (log.is_null()) {
    return;
  }
  const Json& tickers = log["tickers"];
  if (tickers.is_null()) {
    PrintText(std::string("in the running program: not known, ") +
              (log["has_statistics"].get<bool>()
                   ? "because its LOG counts no look-up yet\n"
                   : "because its LOG has no tickers (the program has to set "
                     "DBOptions::statistics)\n"));
    return;
  }
  Json lines;
  lines["title"] = "in the running program, until " + AsText(tickers["time"]) +
                   ", in all column families:";
  lines["look-ups in SST files"] = tickers["look_ups_in_files"];
  if (!tickers["absent_share"].is_null()) {
    lines["of absent keys"] = AsPercent(tickers["absent_share"]);
  }
  if (!tickers["rate"].is_null()) {
    lines["absent keys that pass a filter"] = AsPercent(tickers["rate"]);
  }
  if (tickers["prefixes_checked"] > 0) {
    lines["prefixes that filters were asked for"] = tickers["prefixes_checked"];
    lines["prefixes that filters denied"] = tickers["prefixes_denied"];
  }
  PrintText(ListText(lines));
}

}  // namespace cassandra_bloom::tools
