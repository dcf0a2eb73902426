// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/sst_filters/doctor/advice.h"
#include "tools/sst_filters/doctor/diagnose.h"
#include "tools/sst_filters/doctor/doctor_report.h"
#include "tools/sst_filters/doctor/examine.h"
#include "tools/sst_filters/doctor/files/statistics_text.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {

bool Report::fault() const {
  const auto has_fault = [](const auto& part) {
    return HasFault(part.diagnoses);
  };
  return (observed && observed->diagnosis) || has_fault(*this) ||
         std::any_of(families.begin(), families.end(), has_fault);
}

namespace {

struct DoctorArguments {
  NamedDatabase database;
  std::vector<std::string> column_families;
  std::string statistics;
  bool json = false;
};

FilterQuestions ReadStatistics(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw Unusable(path + ": cannot be opened");
  }
  return *OrUnusable([&](std::string* error) {
    const auto questions = ParseStatistics(&file, error);
    *error = path + ": " + *error;
    return questions;
  });
}

Report Examine(const DoctorArguments& options) {
  Report report;
  report.db = options.database.db;
  report.statistics = options.statistics;
  std::optional<FilterQuestions> questions;
  if (!options.statistics.empty()) {
    questions = ReadStatistics(options.statistics);
  }
  const Database database =
      ExamineDatabase(options.database, options.column_families);
  report.left_out = database.left_out;
  report.files = database.files;
  report.diagnoses = DiagnoseFiles(report.files);
  for (const Family& family : database.families) {
    report.families.push_back(DiagnoseFamily(family));
    Advise(&report.families.back());
  }
  if (questions) {
    report.observed = Compare(*questions, report.families);
  }
  return report;
}

ExitCode RunDoctor(const DoctorArguments& options) {
  const Report report = Examine(options);
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
      "Examines a RocksDB database: does every SST file have a cassandra_bloom "
      "filter, how many false positives are to be expected, and what should be "
      "changed? It is a fault if not all is well. Reads the MANIFEST, the "
      "OPTIONS files and the SST files, not the blob files and the write-ahead "
      "log");
  auto* const options = NewOptions(command, run, RunDoctor);
  command
      ->add_option("--db", options->database.db,
                   "The folder of the database, which may be in use. Nothing "
                   "in it is changed")
      ->required()
      ->type_name("DIR");
  AddDbPath(command, &options->database.db_paths);
  command
      ->add_option("--column-family", options->column_families,
                   "Examine the SST files of this column family only; may be "
                   "given several times. The others are named as left out")
      ->type_name("NAME");
  command
      ->add_option("--statistics", options->statistics,
                   "RocksDB's statistics of the database, to show the observed "
                   "false positive rate beside the expected one: the output of "
                   "db_bench --statistics or of Statistics::ToString(), or a "
                   "LOG with such a dump")
      ->type_name("FILE");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
