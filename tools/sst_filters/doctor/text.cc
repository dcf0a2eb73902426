// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor_test.cc.

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "plugin/filter_db/read_file.h"
#include "tools/sst_filters/doctor/doctor_report.h"

namespace cassandra_bloom::tools {
namespace {

std::string Fixed(const std::optional<double>& number) {
  char text[32] = "-";
  if (number) {
    std::snprintf(text, sizeof(text), "%.2f", *number);
  }
  return text;
}

std::string AtMost(bool is_at_most) { return is_at_most ? "at most " : ""; }

std::string FalsePositives(const Allocation& allocation) {
  return AtMost(allocation.is_at_most) +
         ThreeDigits(allocation.false_positives);
}

// ---- SST files and their filters ----

std::string RateOf(const Filters& filters) {
  const auto rate = filters.Rate();
  return rate ? AtMost(filters.is_at_most) + Percent(*rate) +
                    (filters.is_measured ? ", measured" : "")
              : "-";
}

void PrintRow(const std::string& level, const std::string& file,
              const std::string& policy, const Filters& filters) {
  // Without a filter, the number of keys is not known.
  std::printf("  %5s  %-16s %-26s %12s %12" PRIu64 " %8s  %s\n", level.c_str(),
              Printable(file).c_str(), Printable(policy).c_str(),
              filters.keys > 0 ? std::to_string(filters.keys).c_str() : "-",
              filters.bytes, Fixed(filters.BitsPerKey()).c_str(),
              RateOf(filters).c_str());
}

std::string PolicyOf(const Sst& sst, const Family& family) {
  if (!sst.IsThere()) {
    return sst.state == FilterState::kMissing ? "(missing)" : "(unreadable)";
  }
  if (sst.kind == FilterKind::kNone) {
    return "(no filter)";
  }
  std::string name = sst.policy.empty() ? "(unknown)" : sst.policy;
  if (sst.kind == FilterKind::kBesideRocksdb) {
    name = "cassandra_bloom, blocks=rocksdb";
  } else if (IsRocksdbs(sst.kind)) {
    name = NameOfRocksdbs(sst.kind);
    if (family.in_use != PolicyInUse::kUnknown && !family.form_is_guessed) {
      name += sst.UseWith(family.in_use) == FilterUse::kAsked ? ", used"
                                                              : ", not used";
    }
  }
  return name + (sst.layout == "partitioned" ? ", partitioned" : "");
}

std::string CountsOf(const Filters& filters) {
  return std::to_string(filters.num_healthy) + " with our filter" +
         (filters.num_rocksdbs > 0
              ? ", " + std::to_string(filters.num_rocksdbs) + " with RocksDB's"
              : "");
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
        PrintRow(number, std::string(FileNameOf(sst.file.path)),
                 PolicyOf(sst, family), sst.filter);
      }
    }
    PrintRow(number, "all " + std::to_string(filters.files), CountsOf(filters),
             filters);
  }
}

// ---- Expected false positives ----

void PrintLevel(const std::string& level, uint64_t bytes,
                const LevelForecast& forecast) {
  std::printf("  %5s  %5" PRIu64 " %12" PRIu64 "  %s\n", level.c_str(),
              forecast.runs, bytes, FalsePositives(forecast.as_it_is).c_str());
}

std::string AsItIs(const FamilyReport& report) {
  return !report.in_use ? "not known, as no policy of ours is on"
         : report.family.in_use == PolicyInUse::kNone
             ? FalsePositives(*report.in_use) +
                   ", as every run is read, whatever filters there are"
             : FalsePositives(*report.in_use) +
                   ", as RocksDB's own policy reads the filters";
}

void PrintExpected(const FamilyReport& report) {
  const Family& family = report.family;
  if (report.levels.empty()) {
    return;
  }
  std::printf(
      "  A read of an absent key asks every run (sorted run: a file of level "
      "0, or a deeper\n  level)%s and meets this many false positives:\n"
      "  %5s  %5s %12s  %s\n",
      family.options.IsOn() ? "" : ", if our policy is on,", "level", "runs",
      "filter bytes", "false positives");
  for (const auto& [level, forecast] : report.levels) {
    PrintLevel(std::to_string(level), family.levels.at(level).bytes, forecast);
  }
  PrintLevel("all", report.filter_bytes, report.all);
  std::printf("  in the same memory: %s uniform, %s with allocation=monkey\n",
              FalsePositives(report.all.uniform).c_str(),
              FalsePositives(report.all.monkey).c_str());
  if (report.all.mix) {
    std::printf("  with %s: %s, in about %lld bytes\n",
                report.mix_policy.c_str(),
                FalsePositives(*report.all.mix).c_str(),
                std::llround(report.all.mix->bits / 8));
  }
  if (!family.options.IsOn()) {
    std::printf("  as it is: %s\n", AsItIs(report).c_str());
  }
}

void PrintCounts(const FamilyReport& report) {
  std::string line;
  for (const auto& [state, count] : report.files) {
    line += (line.empty() ? "" : ", ") + std::to_string(count) + " " +
            NameOf(state).text;
  }
  if (!line.empty()) {
    std::printf("  SST files: %s\n", line.c_str());
  }
}

// ---- What to change ----

std::string FilesOf(const Diagnosis& diagnosis) {
  constexpr size_t kMostNamed = 5;
  if (diagnosis.files.empty()) {
    return "";
  }
  std::string line = " (" + Count(diagnosis.files.size(), "SST file") + ":";
  for (size_t i = 0; i < std::min(kMostNamed, diagnosis.files.size()); ++i) {
    line += " " + Printable(FileNameOf(diagnosis.files[i]));
  }
  return line + (diagnosis.files.size() > kMostNamed ? " ...)" : ")");
}

void PrintDiagnosis(const Diagnosis& diagnosis) {
  std::printf("  %s: %s%s\n    to do: %s\n",
              diagnosis.fault ? "fault" : "advice",
              Printable(diagnosis.what).c_str(), FilesOf(diagnosis).c_str(),
              Printable(diagnosis.to_do).c_str());
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

void PrintDiagnoses(const std::vector<Diagnosis>& diagnoses) {
  for (const Diagnosis& diagnosis : diagnoses) {
    PrintDiagnosis(diagnosis);
  }
}

void Print(const FamilyReport& report) {
  const Family& family = report.family;
  std::printf("column family %s: %s\n", Printable(family.name).c_str(),
              Printable(IsOnOrOff(family.options)).c_str());
  PrintFiles(family);
  PrintExpected(report);
  PrintCounts(report);
  PrintDiagnoses(report.diagnoses);
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
  std::printf("observed (%s): %s of %" PRIu64
              " questions for absent keys passed; expected %s\n",
              Printable(statistics).c_str(), Percent(*questions.Rate()).c_str(),
              questions.of_absent_keys(),
              observed.expected_rate
                  ? Percent(*observed.expected_rate).c_str()
                  : "nothing, as RocksDB asks no filter that is known");
  if (!observed.whole_keys) {
    std::printf(
        "  the keys that passed include absent rows of present partitions or "
        "prefixes\n");
  }
  if (observed.diagnosis) {
    PrintDiagnosis(*observed.diagnosis);
  }
}

// ---- The database ----

void PrintFiles(const DatabaseFiles& files) {
  if (files.in_use && !files.unlisted.empty()) {
    std::printf(
        "SST files in the folder that are in no listing: %zu. The database is "
        "in use: it is\nwriting them, or keeps them for iterators and "
        "snapshots\n",
        files.unlisted.size());
  }
}

std::string WhatIsWell(const std::vector<FamilyReport>& reports) {
  Filters all;
  bool all_have_keys = true;
  bool form_is_guessed = false;
  std::map<FilterState, uint64_t> files;
  for (const FamilyReport& of_family : reports) {
    form_is_guessed |= of_family.family.form_is_guessed;
    for (const Sst& sst : of_family.family.ssts) {
      all.Add(sst.filter);
      all_have_keys &= sst.entries > 0;
      ++files[sst.state];
    }
  }
  const uint64_t without = files[FilterState::kNoneExpected];
  const uint64_t rocksdbs = all.num_rocksdbs;
  std::string well = "every SST file ";
  well += without > 0      ? "to which the options give a filter "
          : !all_have_keys ? "that has keys "
                           : "";
  well += rocksdbs == 0 ? "has our filter"
          : rocksdbs == all.files - without
              ? "has RocksDB's own filter, used"
              : "has our filter, or RocksDB's own";
  if (rocksdbs > 0 && rocksdbs < all.files - without) {
    well += ", used (" + Count(rocksdbs, "SST file") + ")";
  }
  if (without > 0) {
    well += " (" + Count(without, "SST file") + " without)";
  }
  if (form_is_guessed) {
    well += ", if the program sets `blocks` as for its newest filter";
  }
  return well;
}

std::string AllIsWell(const Report& report) {
  const bool is_all = report.left_out.empty();
  const bool has_ssts =
      std::any_of(report.families.begin(), report.families.end(),
                  [](const auto& one) { return !one.family.ssts.empty(); });
  return std::string("all is well") +
         (is_all ? ": " : " in the column families that were examined: ") +
         (has_ssts ? WhatIsWell(report.families)
                   : std::string(is_all ? "the database has" : "they have") +
                         " no SST files yet, and so no filters");
}

}  // namespace

void PrintText(const Report& report) {
  for (const FamilyReport& family : report.families) {
    Print(family);
  }
  for (const std::string& name : report.left_out) {
    std::printf("column family %s: left out (--column-family)\n",
                Printable(name).c_str());
  }
  if (report.observed) {
    Print(*report.observed, report.statistics);
  }
  PrintFiles(report.files);
  PrintDiagnoses(report.diagnoses);
  std::printf("%s\n", report.fault() ? "there are faults; see above what to do"
                                     : AllIsWell(report).c_str());
}

}  // namespace cassandra_bloom::tools
