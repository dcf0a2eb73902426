// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/doctor_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace cassandra_bloom::tools {
namespace {

// ---- What is wrong ----

// Adds a file to the problem that it shares with other files.
void AddProblem(const JudgedSst& judged, std::vector<Problem>* problems) {
  auto problem = std::find_if(
      problems->begin(), problems->end(), [&](const Problem& known) {
        return known.why == judged.why && known.use == judged.use;
      });
  if (problem == problems->end()) {
    problem =
        problems->insert(problem, {judged.use, judged.why, judged.remedy, {}});
  }
  problem->ssts[judged.sst.level].push_back(judged.sst.name);
}

std::vector<Problem> ProblemsOf(const JudgedFamily& judged) {
  const FamilyOptions& options = judged.family.options;
  std::vector<Problem> problems;
  if (!options.not_asked.empty()) {
    if (judged.all.files > 0) {
      problems.push_back({Use::kNotAsked, options.not_asked, "", {}});
    }
    return problems;
  }
  if (!options.refused.empty()) {
    problems.push_back({Use::kNotUsed,
                        "the policy is refused: " + options.refused,
                        "correct it, then compact",
                        {}});
  }
  for (const JudgedSst& sst : judged.ssts) {
    if (sst.use == Use::kNotUsed || sst.use == Use::kNotAsked) {
      AddProblem(sst, &problems);
    }
  }
  if (!options.unknown_extractor.empty()) {
    problems.push_back({Use::kNotAsked,
                        "whether iterators ask the filters, as the "
                        "prefix_extractor '" +
                            options.unknown_extractor + "' is not known here",
                        "",
                        {}});
  }
  return problems;
}

// ---- Text ----

std::string OrDash(double number, const std::string& text) {
  return number > 0 ? text : "-";
}

std::string Rounded(double number) {
  return std::to_string(std::llround(number));
}

void PrintLevel(const std::string& level, const LevelSums& sums,
                bool has_extractor) {
  char bits[32];
  std::snprintf(bits, sizeof(bits), "%.2f", sums.BitsPerKey());
  const auto of_files = [&](uint64_t asked) {
    return std::to_string(asked) + " of " + Rounded(sums.examined_files);
  };
  std::printf("  %5s %6llu %12s %13s %8s  %14s  %12s  %s\n", level.c_str(),
              static_cast<unsigned long long>(sums.files),
              Rounded(sums.keys).c_str(), Rounded(sums.filter_bytes).c_str(),
              OrDash(sums.filter_keys, bits).c_str(),
              OrDash(sums.keys, Percent(sums.rate)).c_str(),
              of_files(sums.asked_by_get).c_str(),
              has_extractor ? of_files(sums.asked_by_seek).c_str() : "-");
}

void PrintLevels(const JudgedFamily& judged) {
  const bool has_extractor = judged.family.options.has_extractor();
  std::printf("  %5s %6s %12s %13s %8s  %14s  %12s  %s\n", "level", "files",
              "keys", "filter bytes", "bits/key", "absent pass", "asked: Get",
              "Seek");
  for (const auto& [level, sums] : judged.levels) {
    PrintLevel(std::to_string(level), sums, has_extractor);
  }
  PrintLevel("all", judged.all, has_extractor);
  if (judged.all.examined_files < static_cast<double>(judged.all.files)) {
    std::printf(
        "  a sample: %s of %s SST files were asked, evenly spread over each "
        "level\n",
        Rounded(judged.all.examined_files).c_str(),
        std::to_string(judged.all.files).c_str());
  }
}

void PrintForecast(const FamilyReport& report) {
  const LevelSums& all = report.judged.all;
  const Forecast& forecast = report.forecast;
  std::printf(
      "  false positives in a look-up of an absent %s: %s (of a key in the "
      "range of every\n  sorted run: each file of level 0, and each deeper "
      "level)\n",
      report.judged.asks_only_prefixes()
          ? "prefix (absent keys of present prefixes all pass)"
          : "key",
      ThreeDigits(all.false_positives).c_str());
  std::printf("  memory: %s bytes for all filters, when every file is open\n",
              Rounded(all.filter_bytes).c_str());
  if (forecast.bytes_to_build) {
    std::printf(
        "  memory: about %s bytes more while a file like the largest (%s) is "
        "written\n",
        Rounded(*forecast.bytes_to_build).c_str(),
        forecast.largest_sst.c_str());
  }
  if (!forecast.mix_policy.empty()) {
    std::printf("  with %s: %s false positives, in about %s bytes\n",
                forecast.mix_policy.c_str(),
                ThreeDigits(forecast.mix.false_positives).c_str(),
                Rounded(forecast.mix.bytes).c_str());
    if (report.judged.family.options.table.partition_filters) {
      std::printf(
          "    (more in partitioned filters: 3 %% with partitions of 4 KiB, "
          "13 %% with 1 KiB)\n");
    }
  }
}

std::string NamesOf(const std::vector<std::string>& ssts, size_t most) {
  std::string names;
  for (size_t i = 0; i < std::min(ssts.size(), most); ++i) {
    names += (i == 0 ? "" : " ") + ssts[i];
  }
  return names + (ssts.size() > most ? " ..." : "");
}

void PrintProblem(const Problem& problem) {
  constexpr size_t kMostNamed = 10;
  std::printf("  %s: %s\n",
              problem.use == Use::kNotUsed ? "fault" : "could not be asked",
              Printable(problem.why).c_str());
  if (!problem.remedy.empty()) {
    std::printf("    to do: %s\n", Printable(problem.remedy).c_str());
  }
  for (const auto& [level, ssts] : problem.ssts) {
    std::printf("    level %d, %s: %s\n", level,
                Count(ssts.size(), "SST file").c_str(),
                NamesOf(ssts, kMostNamed).c_str());
  }
}

// Returns the levels with files that can be compacted.
std::set<int> LevelsToCompact(const std::vector<Problem>& problems) {
  std::set<int> levels;
  for (const Problem& problem : problems) {
    if (problem.remedy.find(kCompactIt) != std::string::npos) {
      for (const auto& level : problem.ssts) {
        levels.insert(level.first);
      }
    }
  }
  return levels;
}

void PrintHowToCompact(const JudgedFamily& judged,
                       const std::set<int>& levels) {
  std::printf(
      "    to compact all: CompactRange with "
      "bottommost_level_compaction=kForce\n");
  std::string outputs;
  for (const int level : levels) {
    if (const auto output = judged.OutputLevelFor(level)) {
      outputs += (outputs.empty() ? "" : ", ") + std::to_string(level) +
                 " into " + std::to_string(*output);
    }
  }
  if (!outputs.empty()) {
    std::printf(
        "    to compact only these files: DB::CompactFiles with the files of "
        "a level (--json\n    names all): those of level %s\n",
        outputs.c_str());
  }
}

void PrintFamily(const FamilyReport& report) {
  const JudgedFamily& judged = report.judged;
  const FamilyOptions& options = judged.family.options;
  const std::string policy =
      !options.policy.empty()     ? "filter_policy=" + options.policy
      : options.not_asked.empty() ? "no filter_policy"
                                  : "filter_policy not known";
  std::printf("column family %s: %s\n", Printable(judged.family.name).c_str(),
              Printable(policy).c_str());
  if (judged.all.files > 0 && options.not_asked.empty()) {
    PrintLevels(judged);
    PrintForecast(report);
  }
  for (const Problem& problem : report.problems) {
    PrintProblem(problem);
  }
  if (const auto levels = LevelsToCompact(report.problems); !levels.empty()) {
    PrintHowToCompact(judged, levels);
  }
  if (!report.ssts_without_seek.empty()) {
    std::printf(
        "  note: iterators do not ask the filters of %s (%s), which hold no "
        "prefixes of the\n  prefix_extractor; Get does\n",
        Count(report.ssts_without_seek.size(), "SST file").c_str(),
        NamesOf(report.ssts_without_seek, 5).c_str());
  }
  if (!report.forecast.advice.empty()) {
    std::printf("  advice: %s\n", report.forecast.advice.c_str());
  }
}

std::string LastLine(const Report& report) {
  switch (report.exit_code()) {
    case kFault:
      return "there are faults; see above what to do";
    case kUnusable:
      return "not all could be asked; see above why";
    case kGood:
      break;
  }
  uint64_t used = 0;
  uint64_t on_purpose = 0;
  uint64_t no_keys = 0;
  for (const FamilyReport& family : report.families) {
    for (const JudgedSst& sst : family.judged.ssts) {
      used += sst.use == Use::kUsed ? 1 : 0;
      on_purpose += sst.use == Use::kOnPurpose ? 1 : 0;
      no_keys += sst.use == Use::kNoKeys ? 1 : 0;
    }
  }
  if (used + on_purpose == 0) {
    return "all is well: there are no SST files with keys to ask for yet";
  }
  return "all is well: RocksDB uses the filter of every SST file" +
         (on_purpose > 0 ? " to which the options give one (" +
                               Count(on_purpose, "file") + " without)"
                         : std::string()) +
         (no_keys > 0 ? "; " + Count(no_keys, "file") + " had no key to ask for"
                      : std::string());
}

// ---- JSON ----

Json ToJson(const JudgedSst& judged) {
  const ExaminedSst& sst = judged.sst;
  Json json = {
      {"file", sst.name},
      {"level", sst.level},
      {"use", NameOf(judged.use)},
      {"keys", sst.keys},
      {"filter_keys", sst.filter_keys},
      {"filter_bytes", sst.filter_bytes},
      {"policy", sst.policy},
      {"rate", sst.answers.blocks > 0 ? Json(sst.answers.Rate()) : Json()},
      {"asked_by_get", sst.answers.by_get > 0},
      {"asked_by_seek", sst.answers.by_seek > 0}};
  if (!judged.why.empty()) {
    json["why"] = judged.why;
    json["to_do"] = judged.remedy;
  }
  return json;
}

Json ToJson(const LevelSums& sums) {
  return {{"files", sums.files},
          {"examined_files", std::llround(sums.examined_files)},
          {"keys", std::llround(sums.keys)},
          {"filter_bytes", std::llround(sums.filter_bytes)},
          {"bits_per_key", sums.BitsPerKey()},
          {"rate", sums.rate},
          {"asked_by_get", sums.asked_by_get},
          {"asked_by_seek", sums.asked_by_seek},
          {"false_positives", sums.false_positives}};
}

Json ToJson(const FamilyReport& report) {
  const JudgedFamily& judged = report.judged;
  const Forecast& forecast = report.forecast;
  Json json = {
      {"name", judged.family.name},
      {"policy", judged.family.options.policy},
      {"levels", Json::array()},
      {"all", ToJson(judged.all)},
      {"only_prefixes", judged.asks_only_prefixes()},
      {"bytes_to_build",
       forecast.bytes_to_build ? Json(*forecast.bytes_to_build) : Json()},
      {"advice", forecast.advice},
      {"problems", Json::array()},
      {"without_seek", report.ssts_without_seek},
      {"ssts", Json::array()}};
  if (!forecast.mix_policy.empty()) {
    json["mix"] = {{"policy", forecast.mix_policy},
                   {"false_positives", forecast.mix.false_positives},
                   {"filter_bytes", std::llround(forecast.mix.bytes)}};
  }
  for (const auto& [level, sums] : judged.levels) {
    Json of_level = ToJson(sums);
    of_level["level"] = level;
    json["levels"].push_back(of_level);
  }
  for (const Problem& problem : report.problems) {
    Json levels = Json::array();
    for (const auto& [level, ssts] : problem.ssts) {
      const auto output = judged.OutputLevelFor(level);
      levels.push_back({{"level", level},
                        {"ssts", ssts},
                        {"output_level", output ? Json(*output) : Json()}});
    }
    json["problems"].push_back({{"use", NameOf(problem.use)},
                                {"why", problem.why},
                                {"to_do", problem.remedy},
                                {"levels", levels}});
  }
  for (const JudgedSst& sst : judged.ssts) {
    json["ssts"].push_back(ToJson(sst));
  }
  return json;
}

}  // namespace

ExitCode Report::exit_code() const {
  const auto has = [this](Use use) {
    return std::any_of(
        families.begin(), families.end(), [use](const FamilyReport& family) {
          return std::any_of(
              family.problems.begin(), family.problems.end(),
              [use](const Problem& problem) { return problem.use == use; });
        });
  };
  return has(Use::kNotAsked) ? kUnusable : has(Use::kNotUsed) ? kFault : kGood;
}

FamilyReport ReportOf(ExaminedFamily family) {
  FamilyReport report;
  report.judged = Judge(std::move(family));
  report.forecast = ForecastOf(report.judged);
  report.problems = ProblemsOf(report.judged);
  for (const JudgedSst& judged : report.judged.ssts) {
    if (judged.use == Use::kUsed && judged.sst.was_sought &&
        judged.sst.answers.by_seek == 0) {
      report.ssts_without_seek.push_back(judged.sst.name);
    }
  }
  return report;
}

void PrintText(const Report& report) {
  for (const FamilyReport& family : report.families) {
    PrintFamily(family);
  }
  for (const std::string& name : report.left_out) {
    std::printf("column family %s: left out (--column-family)\n",
                Printable(name).c_str());
  }
  std::printf("%s\n", LastLine(report).c_str());
}

Json ToJson(const Report& report) {
  Json json = {{"db", report.db},
               {"exit_status", static_cast<int>(report.exit_code())},
               {"column_families", Json::array()},
               {"left_out", report.left_out}};
  for (const FamilyReport& family : report.families) {
    json["column_families"].push_back(ToJson(family));
  }
  return json;
}

}  // namespace cassandra_bloom::tools
