// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/doctor_report.h"

namespace cassandra_bloom::tools {
namespace {

using Number = unsigned long long;

std::string BaseName(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string Fixed(const std::optional<double>& number) {
  char text[32] = "-";
  if (number) {
    std::snprintf(text, sizeof(text), "%.2f", *number);
  }
  return text;
}

// ---- SST files and their filters ----

void PrintRow(const std::string& level, const std::string& file,
              const std::string& policy, const Filters& filters) {
  // Without a filter, the number of keys is not known.
  std::printf("  %5s  %-16s %-26s %12s %12llu %8s  %s\n", level.c_str(),
              Printable(file).c_str(), Printable(policy).c_str(),
              filters.keys > 0 ? std::to_string(filters.keys).c_str() : "-",
              static_cast<Number>(filters.bytes),
              Fixed(filters.BitsPerKey()).c_str(),
              filters.Rate() ? Percent(*filters.Rate()).c_str() : "-");
}

std::string PolicyOf(const Sst& sst) {
  if (!sst.IsThere()) {
    return sst.state == FilterState::kMissing ? "(missing)" : "(unreadable)";
  }
  if (sst.kind == "none") {
    return "(no filter)";
  }
  return sst.policy.empty()
             ? "(unknown)"
             : sst.policy + (sst.kind == "partitioned" ? ", partitioned" : "");
}

void PrintFiles(const Family& family) {
  if (!family.ssts.empty()) {
    std::printf("  %5s  %-16s %-26s %12s %12s %8s  %s\n", "level", "SST files",
                "policy", "keys", "filter bytes", "bits/key", "estimated rate");
  }
  for (const auto& [level, filters] : family.levels) {
    const std::string number = std::to_string(level);
    for (const Sst& sst : family.ssts) {
      if (sst.file.level == level) {
        PrintRow(number, BaseName(sst.file.path), PolicyOf(sst), sst.filter);
      }
    }
    PrintRow(number, "all " + std::to_string(filters.files),
             std::to_string(filters.num_healthy) + " with our filter", filters);
  }
}

// ---- Expected false positives ----

void PrintLevel(const std::string& level, uint64_t bytes,
                const LevelForecast& forecast) {
  std::printf("  %5s  %5llu %12llu  %s\n", level.c_str(),
              static_cast<Number>(forecast.runs), static_cast<Number>(bytes),
              ThreeDigits(forecast.as_it_is.false_positives).c_str());
}

void PrintExpected(const Family& family, const Verdict& verdict) {
  if (verdict.levels.empty()) {
    return;
  }
  std::printf(
      "  A read of an absent key asks every run (sorted run: a file of level "
      "0, or a deeper\n  level)%s and meets this many false positives:\n"
      "  %5s  %5s %12s  %s\n",
      family.options.IsOn() ? "" : ", if our policy is on,", "level", "runs",
      "filter bytes", "false positives");
  for (const auto& [level, forecast] : verdict.levels) {
    PrintLevel(std::to_string(level), family.levels.at(level).bytes, forecast);
  }
  PrintLevel("all", verdict.filter_bytes, verdict.all);
  std::printf("  in the same memory: %s uniform, %s with allocation=monkey\n",
              ThreeDigits(verdict.all.uniform.false_positives).c_str(),
              ThreeDigits(verdict.all.monkey.false_positives).c_str());
  if (!family.options.IsOn()) {
    std::printf("  as it is: %s\n",
                verdict.false_positives
                    ? (ThreeDigits(*verdict.false_positives) +
                       ", as every run is read, whatever filters there are")
                          .c_str()
                    : "not known, as no policy of ours is on");
  }
}

void PrintCounts(const Verdict& verdict) {
  std::string line;
  for (const auto& [state, count] : verdict.files) {
    line += (line.empty() ? "" : ", ") + std::to_string(count) + " " +
            NameOf(state).text;
  }
  if (!line.empty()) {
    std::printf("  SST files: %s\n", line.c_str());
  }
}

// ---- What to change ----

std::string FilesOf(const Finding& finding) {
  constexpr size_t kMostNamed = 5;
  if (finding.files.empty()) {
    return "";
  }
  std::string line = " (" + std::to_string(finding.files.size()) +
                     (finding.files.size() == 1 ? " SST file:" : " SST files:");
  for (size_t i = 0; i < std::min(kMostNamed, finding.files.size()); ++i) {
    line += " " + Printable(BaseName(finding.files[i]));
  }
  return line + (finding.files.size() > kMostNamed ? " ...)" : ")");
}

void PrintFinding(const Finding& finding) {
  std::printf("  %s: %s%s\n    to do: %s\n", finding.fault ? "fault" : "advice",
              Printable(finding.what).c_str(), FilesOf(finding).c_str(),
              Printable(finding.to_do).c_str());
}

std::string IsOnOrOff(const FamilyOptions& options) {
  return options.IsOn() ? "on, filter_policy=" + options.policy
         : !options.unknown.empty()
             ? "filter policy not known, " + options.unknown
         : options.table != kBlockBasedTable
             ? "off, table_factory=" + options.table
         : options.policy.empty()
             ? "off, no filter policy in the OPTIONS file"
             : "off, filter_policy=" + options.policy +
                   (options.refused.empty() ? "" : ", which is refused");
}

void Print(const Family& family, const Verdict& verdict) {
  std::printf("column family %s: %s\n", Printable(family.name).c_str(),
              Printable(IsOnOrOff(family.options)).c_str());
  PrintFiles(family);
  PrintExpected(family, verdict);
  PrintCounts(verdict);
  for (const Finding& finding : verdict.findings) {
    PrintFinding(finding);
  }
}

// ---- What RocksDB has counted ----

void Print(const Observed& observed, const std::string& statistics) {
  const FilterQuestions& questions = observed.questions;
  if (!questions.Rate()) {
    std::printf(
        "observed (%s): no filter was asked for a key that its file does not "
        "have\n",
        Printable(statistics).c_str());
    return;
  }
  std::printf(
      "observed (%s): %s of %llu questions for absent keys passed; expected "
      "%s\n",
      Printable(statistics).c_str(), Percent(*questions.Rate()).c_str(),
      static_cast<Number>(questions.of_absent_keys()),
      observed.expected_rate ? Percent(*observed.expected_rate).c_str()
                             : "nothing, as RocksDB asks no filter of ours");
  if (!observed.whole_keys) {
    std::printf(
        "  the keys that passed include absent rows of present partitions or "
        "prefixes\n");
  }
  if (observed.finding) {
    PrintFinding(*observed.finding);
  }
}

// ---- The database ----

void PrintFiles(const DatabaseFiles& files) {
  if (files.in_use && !files.unlisted.empty()) {
    std::printf(
        "SST files in the folder that are in no listing: %llu. The database is "
        "in use: it is\nwriting them, or keeps them for iterators and "
        "snapshots\n",
        static_cast<Number>(files.unlisted.size()));
  }
}

void PrintLeftOut(const std::vector<std::string>& column_families) {
  for (const std::string& name : column_families) {
    std::printf("column family %s: left out (--column-family)\n",
                Printable(name).c_str());
  }
}

std::string AllIsWell(const Report& report) {
  size_t ssts = 0;
  size_t without = 0;
  bool all_have_keys = true;
  for (const Family& family : report.families) {
    ssts += family.ssts.size();
    for (const Sst& sst : family.ssts) {
      all_have_keys &= sst.entries > 0;
      without += sst.state == FilterState::kNoneExpected ? 1 : 0;
    }
  }
  const std::string well =
      report.left_out.empty()
          ? "all is well: "
          : "all is well in the column families that were examined: ";
  if (ssts == 0) {
    return well + (report.left_out.empty() ? "the database has" : "they have") +
           " no SST files yet, and so no filters";
  }
  return well + "every SST file " +
         (without > 0      ? "to which the options give a filter"
          : !all_have_keys ? "that has keys"
                           : "") +
         (without > 0 || !all_have_keys ? " " : "") + "has our filter" +
         (without > 0 ? " (" + Count(without, "SST file") + " without)" : "");
}

// ---- Exported filters ----

void Print(const ExaminedFolder& folder) {
  if (!folder.folder.empty()) {
    std::printf(
        "export folder %s: %s, %llu of %llu SST files have a Filter.db\n",
        Printable(folder.folder).c_str(),
        folder.fed ? "with a listener" : "without a listener",
        static_cast<Number>(folder.filtered), static_cast<Number>(folder.live));
  }
  for (const Finding& finding : folder.findings) {
    PrintFinding(finding);
  }
}

}  // namespace

void PrintText(const Report& report) {
  for (size_t i = 0; i < report.families.size(); ++i) {
    Print(report.families[i], report.verdicts[i]);
  }
  PrintLeftOut(report.left_out);
  if (report.observed) {
    Print(*report.observed, report.statistics);
  }
  PrintFiles(report.files);
  for (const Finding& finding : report.findings) {
    PrintFinding(finding);
  }
  for (const ExaminedFolder& folder : report.exports) {
    Print(folder);
  }
  std::printf("%s\n", report.fault() ? "there are faults; see above what to do"
                                     : AllIsWell(report).c_str());
}

}  // namespace cassandra_bloom::tools
