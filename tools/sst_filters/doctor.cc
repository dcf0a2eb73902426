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

#include "filterdb/commands/printer.h"
#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/examine.h"
#include "tools/sst_filters/forecast.h"
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
          {"files", sums.files},
          {"examined_files", sums.examined_files},
          {"keys", std::llround(sums.keys)},
          {"filter_bytes", std::llround(sums.filter_bytes)},
          {"bits_per_key", sums.BitsPerKey()},
          {"rate", sums.Rate()},
          {"asked_by_get", sums.asked_by_get},
          {"asked_by_seek",
           options.extractor() == nullptr ? Json() : Json(sums.asked_by_seek)},
          {"false_positives", sums.false_positives}};
}

Json Reason(const Verdict& verdict) {
  return {{"use", NameOf(verdict.use)},
          {"why", verdict.why},
          {"to_do", verdict.remedy},
          {"levels", Json::array()}};
}

// Adds a file, which comes in the order of levels, to the reason that it shares
// with other files.
void AddToReasons(const ExaminedSst& sst, Json* reasons) {
  const auto has_same = [&](const Json& reason) {
    return reason["why"] == sst.verdict.why &&
           reason["use"] == NameOf(sst.verdict.use);
  };
  auto reason = std::find_if(reasons->begin(), reasons->end(), has_same);
  if (reason == reasons->end()) {
    reasons->push_back(Reason(sst.verdict));
    reason = std::prev(reasons->end());
  }
  Json* const levels = &(*reason)["levels"];
  if (levels->empty() || levels->back()["level"] != sst.level) {
    levels->push_back({{"level", sst.level}, {"ssts", Json::array()}});
  }
  levels->back()["ssts"].push_back(sst.name);
}

// Returns why filters are not used or not asked. Each reason has the SST files
// by level, or none if it is about the column family.
Json ReasonsOf(const ExaminedFamily& family) {
  const FamilyOptions& options = family.options;
  Json reasons = Json::array();
  if (!options.not_asked.empty() && !family.files_in_level.empty()) {
    reasons.push_back(Reason({Use::kNotAsked, options.not_asked, ""}));
  }
  for (const ExaminedSst& sst : family.ssts) {
    if (!sst.verdict.why.empty()) {
      AddToReasons(sst, &reasons);
    }
  }
  if (!options.unknown_extractor().empty()) {
    reasons.push_back(
        Reason({Use::kNotAsked,
                "whether iterators ask the filters, as the "
                "prefix_extractor '" +
                    options.unknown_extractor() + "' is not known here",
                ""}));
  }
  return reasons;
}

Json ToJson(const ExaminedFamily& family) {
  const auto levels = SumsOfLevels(family);
  Json json = {{"name", family.name},
               {"policy", family.options.policy},
               {"levels", Json::array()},
               {"all", ToJson("all", SumsOfAll(levels), family.options)},
               {"reasons", ReasonsOf(family)},
               {"ssts", Json::array()}};
  for (const auto& [level, sums] : levels) {
    json["levels"].push_back(ToJson(level, sums, family.options));
  }
  for (const ExaminedSst& sst : family.ssts) {
    json["ssts"].push_back(ToJson(sst));
  }
  json.update(Forecasts(family, levels));
  return json;
}

ExitCode ExitCodeOf(const Json& families) {
  ExitCode exit_code = kGood;
  for (const Json& family : families) {
    for (const Json& reason : family["reasons"]) {
      if (reason["use"] == NameOf(Use::kNotAsked)) {
        return kUnusable;
      }
      if (reason["use"] == NameOf(Use::kNotUsed)) {
        exit_code = kFault;
      }
    }
  }
  return exit_code;
}

// ---- Text ----

// Prints the text between two spaces and the end of a line.
void PrintLine(const std::string& text) {
  PrintText("  " + Printable(text) + "\n");
}

void PrintLevels(const Json& family) {
  Json rows = family["levels"];
  rows.push_back(family["all"]);
  PrintText(TableText(rows, {{"level", "level"},
                             {"files", "files"},
                             {"examined_files", "examined"},
                             {"keys", "keys"},
                             {"filter_bytes", "filter bytes"},
                             {"bits_per_key", "bits/key", AsThreeDigits},
                             {"rate", "absent pass", AsPercent},
                             {"asked_by_get", "asked: Get"},
                             {"asked_by_seek", "Seek"}}));
}

void PrintSums(const Json& family, const FamilyOptions& options) {
  const Json& all = family["all"];
  if (all["examined_files"] < all["files"]) {
    PrintLine("a sample: " + all["examined_files"].dump() + " of " +
              all["files"].dump() + " SST files were examined");
  }
  PrintLine("false positives in a look-up of an absent " +
            std::string(options.table.whole_key_filtering
                            ? "key"
                            : "prefix (absent keys of present prefixes all "
                              "pass)") +
            ": " + AsThreeDigits(all["false_positives"]) +
            " (of a key in the range of every");
  PrintLine("sorted run: each file of level 0, and each deeper level)");
  PrintLine("memory: " + all["filter_bytes"].dump() +
            " bytes for all filters, when every file is open");
  if (!family["bytes_to_build"].is_null()) {
    PrintLine("memory: about " + family["bytes_to_build"].dump() +
              " bytes more while a file like the largest (" +
              AsText(family["largest_sst"]) + ") is written");
  }
  if (const Json& mix = family["mix"]; !mix.is_null()) {
    PrintLine("with " + AsText(mix["policy"]) + ": " +
              AsThreeDigits(mix["false_positives"]) +
              " false positives, in about " + mix["filter_bytes"].dump() +
              " bytes");
    if (options.table.partition_filters) {
      PrintLine(
          "  (more in partitioned filters: 3 % with partitions of 4 KiB, 13 % "
          "with 1 KiB)");
    }
  }
  if (!family["advice"].is_null()) {
    PrintLine("advice: " + AsText(family["advice"]));
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

void PrintReason(const Json& reason) {
  const bool is_fault = reason["use"] == NameOf(Use::kNotUsed);
  const bool is_not_known = reason["use"] == NameOf(Use::kNotAsked);
  PrintLine(std::string(is_fault       ? "fault: "
                        : is_not_known ? "could not be asked: "
                                       : "no fault: ") +
            reason["why"].get<std::string>());
  if (is_fault) {
    PrintLine("  to do: " + reason["to_do"].get<std::string>());
  }
  for (const Json& level : reason["levels"]) {
    PrintLine("  level " + level["level"].dump() + ", " +
              Count(level["ssts"].size(), "SST file") + ":" +
              NamesOf(level["ssts"]));
  }
}

// RocksDB may keep the next levels empty, so files of level 0 are not for
// CompactFiles.
void PrintHowToCompact(const Json& reasons) {
  bool is_any = false;
  bool is_any_deep = false;
  for (const Json& reason : reasons) {
    if (reason["to_do"].get<std::string>().find(kCompactIt) !=
        std::string::npos) {
      is_any = true;
      is_any_deep |= reason["levels"].back()["level"] > 0;
    }
  }
  if (is_any) {
    PrintLine(
        "  to compact all: CompactRange with "
        "bottommost_level_compaction=kForce");
  }
  if (is_any_deep) {
    PrintLine(
        "  to compact only these files, but for level 0: DB::CompactFiles with "
        "the files of a");
    PrintLine("  level (--json names all), and the same level for the output");
  }
}

void PrintFamily(const Json& family, const FamilyOptions& options) {
  PrintText("column family " + AsText(family["name"]) + ": " +
            (!options.policy.empty()
                 ? "filter_policy=" + AsText(family["policy"])
             : options.not_asked.empty() ? "no filter_policy"
                                         : "filter_policy not known") +
            "\n");
  if (!family["levels"].empty() && options.not_asked.empty()) {
    PrintLevels(family);
    PrintSums(family, options);
  }
  for (const Json& reason : family["reasons"]) {
    PrintReason(reason);
  }
  PrintHowToCompact(family["reasons"]);
}

std::string LastLine(const Json& report) {
  if (report["exit_status"] == kUnusable) {
    return "not all could be asked; see above why";
  }
  if (report["exit_status"] == kFault) {
    return "there are faults; see above what to do";
  }
  bool is_any_used = false;
  bool are_all_used = true;
  for (const Json& family : report["column_families"]) {
    for (const Json& sst : family["ssts"]) {
      const bool is_used = sst["use"] == NameOf(Use::kUsed);
      is_any_used |= is_used;
      are_all_used &= is_used;
    }
  }
  return !is_any_used ? "all is well: there is no filter to ask"
         : are_all_used
             ? "all is well: RocksDB uses the filter of every SST file"
             : "all is well: RocksDB uses the filter of every SST file, but "
               "for those above";
}

ExitCode RunDoctor(const DoctorArguments& arguments) {
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "sst_filters was built for another release of RocksDB than this one");
  }
  std::vector<ExaminedFamily> families = Examine(arguments.database);
  Json report = {{"db", arguments.database.folder},
                 {"exit_status", nullptr},
                 {"column_families", Json::array()}};
  for (ExaminedFamily& family : families) {
    Judge(&family);
    report["column_families"].push_back(ToJson(family));
  }
  const ExitCode exit_code = ExitCodeOf(report["column_families"]);
  report["exit_status"] = exit_code;
  if (arguments.json) {
    PrintJson(report);
    return exit_code;
  }
  for (size_t i = 0; i < families.size(); ++i) {
    PrintFamily(report["column_families"][i], families[i].options);
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
      "keys "
      "that are in no file. It is a fault if a filter is not used. Exit status "
      "2 also if something could not be asked");
  auto* const arguments = NewOptions(command, run, RunDoctor);
  AddDatabase(command, command, &arguments->database)->required();
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
