// SPDX-License-Identifier: Apache-2.0

// The answer of doctor is one JSON value. The text is printed from it.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/costs.h"
#include "tools/sst_filters/examine.h"
#include "tools/sst_filters/judge.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {
namespace {

struct DoctorArguments {
  DatabaseOnDisk database;
  bool json = false;
};

// ---- The answer ----

Json ToJson(const ExaminedSst& sst) {
  return {{"file", sst.name},
          {"level", sst.level},
          {"use", NameOf(sst.verdict.use)},
          {"keys", sst.keys},
          {"filter_keys", sst.filter_keys},
          {"filter_bytes", sst.filter_bytes},
          {"policy", sst.policy},
          {"rate", sst.rate},
          {"asked_by_get", sst.answers.by_get > 0},
          {"asked_by_seek", sst.answers.by_seek > 0},
          {"why", sst.verdict.why},
          {"to_do", sst.verdict.remedy}};
}

Json ToJson(const Json& level, const Sums& sums, const FamilyOptions& options) {
  return {{"level", level},
          {"files", std::llround(sums.files)},
          {"keys", std::llround(sums.keys)},
          {"filter_bytes", std::llround(sums.filter_bytes)},
          {"bits_per_key", sums.BitsPerKey()},
          {"rate", sums.Rate()},
          {"asked_by_get", std::llround(sums.asked_by_get)},
          {"asked_by_seek", options.options.prefix_extractor == nullptr
                                ? Json()
                                : Json(std::llround(sums.asked_by_seek))},
          {"false_positives", sums.false_positives}};
}

// Returns an object: why filters are not used or not asked, and for each reason
// its SST files by level, or none if it is about the column family.
Json ReasonsOf(const ExaminedFamily& family) {
  Json reasons = Json::object();
  const auto add = [&](const Verdict& verdict) -> Json& {
    Json& reason = reasons[verdict.why];
    reason["use"] = NameOf(verdict.use);
    reason["to_do"] = verdict.remedy;
    return reason["levels"];
  };
  const std::string& not_asked = family.options.not_asked;
  if (!not_asked.empty() && !family.files_in_level.empty()) {
    add({Use::kNotAsked, not_asked, ""}) = Json::object();
  }
  for (const ExaminedSst& sst : family.ssts) {
    if (!sst.verdict.why.empty()) {
      add(sst.verdict)[std::to_string(sst.level)].push_back(sst.name);
    }
  }
  return reasons;
}

Json ToJson(const ExaminedFamily& family) {
  const FamilyOptions& options = family.options;
  const auto sums_of_levels = SumsOfLevels(family);
  Json levels = Json::array();
  Sums all;
  for (const auto& [level, sums] : sums_of_levels) {
    levels.push_back(ToJson(level, sums, options));
    all += sums;
  }
  Json json = {{"name", family.name},
               {"policy", options.policy.empty() && !options.not_asked.empty()
                              ? Json()
                              : Json(options.policy)},
               {"levels", levels},
               {"all", ToJson("all", all, options)},
               {"reasons", ReasonsOf(family)}};
  json.update(Forecasts(family, sums_of_levels, all));
  if (!options.table.whole_key_filtering) {
    json["notes"].push_back(
        "RocksDB asks the filters for prefixes alone: the false positives are "
        "those of an absent prefix, and absent keys of present prefixes all "
        "pass");
  }
  if (static_cast<double>(family.ssts.size()) < std::round(all.files)) {
    json["notes"].push_back("this is from a sample of " +
                            Count(family.ssts.size(), "SST file"));
  }
  Json* const ssts = &(json["ssts"] = Json::array());
  for (const ExaminedSst& sst : family.ssts) {
    ssts->push_back(ToJson(sst));
  }
  return json;
}

ExitCode ExitCodeOf(const Json& families) {
  ExitCode worst = kGood;
  for (const Json& family : families) {
    for (const Json& reason : family["reasons"]) {
      const Json& use = reason["use"];
      worst = std::max(worst, use == NameOf(Use::kNotAsked)  ? kUnusable
                              : use == NameOf(Use::kNotUsed) ? kFault
                                                             : kGood);
    }
  }
  return worst;
}

// ---- Text ----

void PrintSums(const Json& family) {
  const Json& policy = family["policy"];
  Json sums;
  sums["title"] =
      "column family " + family["name"].get<std::string>() + ": " +
      (policy.is_null() ? "filter_policy not known"
       : policy == ""   ? "no filter_policy"
                        : "filter_policy=" + policy.get<std::string>());
  if (!family["levels"].empty()) {
    const Json& all = family["all"];
    sums["false positives of an absent key"] = all["false_positives"];
    sums["memory of all filters"] = AsSize(all["filter_bytes"]);
  }
  if (!family["bytes_to_build"].is_null()) {
    sums["more memory while the largest file is written"] =
        AsSize(family["bytes_to_build"]);
  }
  const Json& mix = family["mix"];
  if (!mix.is_null()) {
    sums["with mix instead"] =
        AsText(mix["policy"]) + ": " + AsThreeDigits(mix["false_positives"]) +
        " false positives, " + AsSize(mix["filter_bytes"]);
  }
  sums["note"] = family["notes"];
  PrintText(ListText(sums));
  Json rows = family["levels"];
  if (!rows.empty()) {
    rows.push_back(family["all"]);
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

std::string NamesOf(const Json& ssts) {
  constexpr size_t kMostNamed = 10;
  std::string names;
  for (size_t i = 0; i < std::min(ssts.size(), kMostNamed); ++i) {
    names += " " + AsText(ssts[i]);
  }
  return names + (ssts.size() > kMostNamed ? " ..." : "");
}

void PrintReason(const std::string& why, const Json& reason) {
  const bool is_fault = reason["use"] == NameOf(Use::kNotUsed);
  const bool is_not_known = reason["use"] == NameOf(Use::kNotAsked);
  PrintText(std::string("  ") +
            (is_fault       ? "fault: "
             : is_not_known ? "could not be asked: "
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

void PrintFamily(const Json& family) {
  PrintSums(family);
  bool needs_compaction = false;
  bool is_below_level_0 = false;
  for (const auto& [why, reason] : family["reasons"].items()) {
    PrintReason(why, reason);
    if (reason["to_do"].get<std::string>().find(kCompactIt) !=
        std::string::npos) {
      needs_compaction = true;
      for (const auto& level : reason["levels"].items()) {
        is_below_level_0 |= level.key() != "0";
      }
    }
  }
  if (needs_compaction) {
    PrintText(
        "    to compact all: CompactRange with "
        "bottommost_level_compaction=kForce. Or, while no\n"
        "    process has the database open, ldb --try_load_options compact: "
        "for a policy of\n"
        "    cassandra_bloom with the library preloaded, as without it ldb "
        "removes all filters\n");
  }
  // RocksDB may keep the next levels empty, so files of level 0 are not for
  // CompactFiles.
  if (is_below_level_0) {
    PrintText(
        "    to compact only these: DB::CompactFiles with the files of one "
        "level (--json has all),\n"
        "    and that level as the output level; not for level 0\n");
  }
}

std::string LastLine(const Json& report) {
  if (report["exit_status"] == kUnusable) {
    return "not all could be asked, so it is not known whether all is well; "
           "see above why";
  }
  if (report["exit_status"] == kFault) {
    return "there are faults; see above what to do";
  }
  bool is_any_asked = false;
  bool has_reasons = false;
  for (const Json& family : report["column_families"]) {
    is_any_asked |= family["all"]["asked_by_get"] > 0;
    has_reasons |= !family["reasons"].empty();
  }
  return !is_any_asked ? "all is well: there is no filter to ask"
                       : std::string(
                             "all is well: RocksDB uses the filter of "
                             "every SST file") +
                             (has_reasons ? ", but see above" : "");
}

ExitCode RunDoctor(const DoctorArguments& arguments) {
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "sst_filters was built for another release of RocksDB than this one");
  }
  Json report = {{"db", arguments.database.folder},
                 {"exit_status", nullptr},
                 {"column_families", Json::array()}};
  for (ExaminedFamily& family : Examine(arguments.database)) {
    Judge(&family);
    report["column_families"].push_back(ToJson(family));
  }
  const ExitCode exit_code = ExitCodeOf(report["column_families"]);
  report["exit_status"] = exit_code;
  if (arguments.json) {
    PrintJson(report);
    return exit_code;
  }
  for (const Json& family : report["column_families"]) {
    PrintFamily(family);
  }
  PrintText(LastLine(report) + "\n");
  return exit_code;
}

}  // namespace

void AddDoctor(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "doctor",
      "Examines the filters of a RocksDB database, whatever its policy: does "
      "RocksDB use them, and how good are they? Asks RocksDB by looking up "
      "keys that are in no file. It is a fault if a filter is not used. Exit "
      "status "
      "2 also if something could not be asked");
  auto* const arguments = NewOptions(command, run, RunDoctor);
  AddDatabase(command, &arguments->database);
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
