// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.

#include <nlohmann/json.hpp>
#include <utility>

#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/doctor/doctor_report.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {
namespace {

struct DoctorArguments {
  DatabaseToExamine database;
  bool json = false;
};

ExitCode RunDoctor(const DoctorArguments& arguments) {
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "sst_filters was built for another release of RocksDB than this one");
  }
  ExaminedDatabase database = Examine(arguments.database);
  Report report;
  report.db = arguments.database.db;
  report.left_out = database.left_out;
  for (ExaminedFamily& family : database.families) {
    report.families.push_back(ReportOf(std::move(family)));
  }
  if (arguments.json) {
    PrintJson(ToJson(report));
  } else {
    PrintText(report);
  }
  return report.exit_code();
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
  DatabaseToExamine* const database = &arguments->database;
  command
      ->add_option("--db", database->db,
                   "The folder of the database, which may be in use. Nothing "
                   "in it is changed")
      ->required()
      ->type_name("DIR");
  AddDbPath(command, &database->db_paths);
  command
      ->add_option("--column-family", database->column_families,
                   "Examine the SST files of this column family only; may be "
                   "given several times. The others are named as left out")
      ->type_name("NAME");
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
