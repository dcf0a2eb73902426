// SPDX-License-Identifier: Apache-2.0

// filterdb doctor

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/filterdb/command.h"
#include "tools/filterdb/doctor/doctor_report.h"
#include "tools/filterdb/doctor/examine.h"
#include "tools/filterdb/doctor/statistics_text.h"
#include "tools/filterdb/doctor/verdict.h"

namespace cassandra_bloom::tools {

bool Report::fault() const {
  return (observed && observed->finding) ||
         std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.fault; }) ||
         std::any_of(exports.begin(), exports.end(), HasFault) ||
         std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.fault(); });
}

namespace {

struct Options {
  std::string db;
  std::vector<std::string> db_paths;
  std::string statistics;
  std::string plot;
  std::string export_dir;
  bool force = false;
  bool json = false;
};

FilterQuestions ReadStatistics(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw Unusable(path + ": cannot be opened");
  }
  std::string error;
  const auto questions = ParseStatistics(&file, &error);
  if (!questions) {
    throw Unusable(path + ": " + error);
  }
  return *questions;
}

Report Examine(const Options& options) {
  Report report;
  report.db = options.db;
  report.statistics = options.statistics;
  std::optional<FilterQuestions> questions;
  if (!options.statistics.empty()) {
    questions = ReadStatistics(options.statistics);
  }
  Database database = ExamineDatabase(options.db, options.db_paths);
  report.families = std::move(database.families);
  report.files = std::move(database.files);
  report.findings = Judge(report.files);
  for (const Family& family : report.families) {
    report.verdicts.push_back(Judge(family));
  }
  if (questions) {
    report.observed = Compare(*questions, report.families);
  }
  report.exports = ExamineExports(
      options.db, options.export_dir, [&](LiveSsts* live, std::string* error) {
        return ListLiveSsts(options.db, options.db_paths,
                            /*column_family=*/"", live, error);
      });
  return report;
}

ExitCode RunDoctor(const Options& options) {
  if (!options.plot.empty()) {
    RequireWritable("--plot", options.plot, options.force, options.json);
    RequireGnuplot();
  }
  const Report report = Examine(options);
  if (!options.plot.empty()) {
    Plot(report, options.plot, options.force);
    SpeakBeside(options.plot);
  }
  if (options.json) {
    PrintJson(ToJson(report));
  } else {
    PrintText(report);
  }
  return report.fault() ? kFault : kGood;
}

}  // namespace

void AddDoctor(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "doctor",
      "Whether a RocksDB database has our filters everywhere, how well they do "
      "and what to change: a fault if not all is well. It looks at the "
      "MANIFEST, "
      "the OPTIONS and the SST files, not at blob files and the write-ahead "
      "log");
  auto* const options = NewOptions(command, run, RunDoctor);
  command
      ->add_option("--db", options->db,
                   "The folder of the database, which may be in use. Nothing "
                   "in it is changed")
      ->required()
      ->type_name("DIR");
  AddDbPath(command, &options->db_paths);
  command
      ->add_option("--statistics", options->statistics,
                   "RocksDB's statistics of it, whose rate of false positives "
                   "is to be shown beside the expected one: what db_bench "
                   "--statistics or Statistics::ToString() gave, or a LOG with "
                   "such a dump")
      ->type_name("FILE");
  command
      ->add_option("--plot", options->plot,
                   "Draw bits per key and false positives by level, as they "
                   "are and in the same memory uniform and by "
                   "allocation=monkey: an SVG file, by gnuplot; - for standard "
                   "output")
      ->type_name("FILE");
  command
      ->add_option("--export-dir", options->export_dir,
                   "A folder of exported filters: whether it is that of this "
                   "database, whether a listener feeds it, and whether it has "
                   "the filter of each SST file. Those of listeners in the "
                   "OPTIONS file are examined in any case")
      ->type_name("DIR");
  AddForce(command, &options->force);
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
