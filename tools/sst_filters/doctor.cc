// SPDX-License-Identifier: Apache-2.0

// The answer of doctor is one JSON value. The text is printed from it.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/costs.h"
#include "tools/sst_filters/examine.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {
namespace {

struct DoctorArguments {
  DatabaseOnDisk database;
  bool json = false;
};

// ---- The answer ----

Json ToJson(const ExaminedSst& sst) {
  return {{"file", sst.file.relative_filename},
          {"level", sst.level},
          {"use", sst.verdict.use},
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
  if (!family.not_asked.empty() && family.files.file_count > 0) {
    levels_of({Use::kNotAsked, family.not_asked}) = Json::object();
  }
  for (const ExaminedSst& sst : family.ssts) {
    if (!sst.verdict.why.empty()) {
      levels_of(sst.verdict)[std::to_string(sst.level)].push_back(
          sst.file.relative_filename);
    }
  }
  return reasons;
}

Json ToJson(const ExaminedFamily& family) {
  const bool is_policy_known =
      family.not_asked.empty() || !family.policy.empty();
  Json json = {{"name", family.files.name},
               {"files", family.files.file_count},
               {"policy", is_policy_known ? Json(family.policy) : Json()}};
  json.update(CostsOf(family));
  json["reasons"] = ReasonsOf(family);
  Json& ssts = json["ssts"] = Json::array();
  for (const ExaminedSst& sst : family.ssts) {
    ssts.push_back(ToJson(sst));
  }
  return json;
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
  const Json& all = family["all"];
  if (!all.is_null()) {
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

std::string NamesOf(const Json& ssts) {
  constexpr size_t kMostNamed = 10;
  std::string names;
  for (size_t i = 0; i < std::min(ssts.size(), kMostNamed); ++i) {
    names += " " + AsText(ssts[i]);
  }
  return names + (ssts.size() > kMostNamed ? " ..." : "");
}

void PrintReason(const std::string& why, const Json& reason) {
  const bool is_fault = reason["use"] == Use::kNotUsed;
  PrintText(std::string("  ") +
            (is_fault                          ? "fault: "
             : reason["use"] == Use::kNotAsked ? "could not be asked: "
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

// What follows from the worst that a column family has.
struct Outcome {
  ExitCode exit_code;
  const char* last_line;
};

Outcome OutcomeOf(const Json& families) {
  Use worst = Use::kUsed;
  bool is_all_asked = true;
  bool has_files = false;
  for (const Json& family : families) {
    has_files |= family["files"] > 0;
    for (const Json& reason : family["reasons"]) {
      const Use use = reason["use"].get<Use>();
      worst = std::max(worst, use);
      is_all_asked &= use != Use::kNotAsked;
    }
  }
  switch (worst) {
    case Use::kNotAsked:
      return {kUnusable,
              "not all could be asked, so it is not known whether all is well; "
              "see above why"};
    case Use::kNotUsed:
      return {kFault, is_all_asked
                          ? "there are faults; see above what to do"
                          : "there are faults, and not all could be asked; see "
                            "above what to do"};
    case Use::kUsed:
      if (!has_files) {
        return {kGood, "no SST file yet: there is no filter to ask"};
      }
      return {kGood, "all is well: RocksDB uses the filter of every SST file"};
    default:
      return {kGood,
              "all is well: RocksDB uses the filter of every SST file, but see "
              "above"};
  }
}

ExitCode RunDoctor(const DoctorArguments& arguments) {
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "sst_filters was built for another release of RocksDB than this one");
  }
  Json families = Json::array();
  for (ExaminedFamily& family : Examine(arguments.database)) {
    Judge(&family);
    families.push_back(ToJson(family));
  }
  const Outcome outcome = OutcomeOf(families);
  if (arguments.json) {
    PrintJson({{"db", arguments.database.folder},
               {"exit_status", outcome.exit_code},
               {"column_families", families}});
    return outcome.exit_code;
  }
  for (const Json& family : families) {
    PrintFamily(family);
  }
  PrintText(std::string(outcome.last_line) + "\n");
  return outcome.exit_code;
}

}  // namespace

void AddDoctor(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "doctor",
      "Examines the filters of a RocksDB database, whatever its policy: does "
      "RocksDB use them, and how good are they? Asks RocksDB by looking up "
      "keys that are in no file. It is a fault if a filter is not used. Exit "
      "status 2 also if something could not be asked");
  auto* const arguments = NewOptions(command, run, RunDoctor);
  AddDatabase(command, &arguments->database);
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
