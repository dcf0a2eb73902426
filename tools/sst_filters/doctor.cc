// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.

#include <algorithm>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/doctor_report.h"
#include "tools/sst_filters/examine.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {
namespace {

struct DoctorArguments {
  DatabaseOnDisk database;
  bool no_forecast = false;
  bool json = false;
};

// What follows from the worst of all files.
struct Outcome {
  ExitCode exit_code;
  const char* last_line;
};

Outcome OutcomeOf(const Json& families) {
  Use worst = Use::kUsed;
  bool is_all_asked = true;
  bool has_files = false;
  bool has_filters = false;
  bool has_reasons = false;
  for (const Json& family : families) {
    has_files |= family["files"] > 0;
    has_filters |=
        !family["all"].is_null() && family["all"]["filter_bytes"] > 0;
    for (const Json& reason : family["reasons"]) {
      const Use use = reason["use"].get<Use>();
      worst = std::max(worst, use);
      is_all_asked &= use != Use::kNotAsked;
      has_reasons = true;
    }
  }
  if (!has_files) {
    return {kGood, "no SST file yet: there is no filter to ask"};
  }
  switch (worst) {
    case Use::kNotUsed:
      return {kHarm, is_all_asked
                         ? "there are faults; see above what to do"
                         : "there are faults, and not all could be asked; see "
                           "above what to do"};
    case Use::kNotAsked:
      return {kNotKnown,
              "not all could be asked, so it is not known whether all is well; "
              "see above why"};
    case Use::kMayBeDropped:
      return {kNotKnown,
              "not known whether RocksDB uses the filter of every SST file, as "
              "the block cache may drop the largest; see above"};
    default:
      if (!has_filters) {
        return {kGood,
                "no SST file has a filter, which is no fault: see above why"};
      }
      return {kGood,
              has_reasons
                  ? "all is well: RocksDB uses the filter of every SST file, "
                    "but see above"
                  : "all is well: RocksDB uses the filter of every SST file"};
  }
}

// RocksDB may crash if there is no memory for its threads and small objects
// (seen under `ulimit -v`). If there is, what is too large is an exception.
void CheckAddressSpace() {
  constexpr size_t kBytes = 32 << 20;
  const std::unique_ptr<char[]> reserved(new (std::nothrow) char[kBytes]);
  if (reserved == nullptr) {
    throw Unusable("doctor needs 32 MB more of address space (ulimit -v)");
  }
}

ExitCode RunDoctor(const DoctorArguments& arguments) {
  CheckAddressSpace();
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "sst_filters was built for another release of RocksDB than this one");
  }
  const ExaminedDatabase examined = Examine(arguments.database);
  const RocksdbLog log =
      ReadRocksdbLog(arguments.database.folder, examined.log_dir);
  bool has_prefixes_alone = false;
  Json families = Json::array();
  for (const ExaminedFamily& family : examined.families) {
    const auto logged = log.caches.find(family.files.name);
    const auto cache = logged == log.caches.end()
                           ? std::nullopt
                           : std::optional<LoggedCache>(logged->second);
    const JudgedFamily judged = Judge(family, cache);
    const Costs costs = CostsOf(judged);
    families.push_back(
        ToJson(judged, costs,
               arguments.no_forecast
                   ? SettingsTable()
                   : TableOfSettings(judged, costs, log.AbsentShare()),
               cache));
    has_prefixes_alone |= !family.table.whole_key_filtering;
  }
  const Json running = ToJson(log, has_prefixes_alone);
  const Outcome outcome = OutcomeOf(families);
  if (arguments.json) {
    PrintJson({{"db", arguments.database.folder},
               {"exit_status", outcome.exit_code},
               {"column_families", families},
               {"log", running}});
    return outcome.exit_code;
  }
  for (const Json& family : families) {
    PrintFamily(family);
  }
  PrintLog(running);
  PrintText(std::string(outcome.last_line) + "\n");
  return outcome.exit_code;
}

}  // namespace

void AddDoctor(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "doctor",
      "Examines the filters of a RocksDB database, whatever its policy: does "
      "RocksDB use them, how good are they, and what would other settings "
      "give? Asks RocksDB by looking up keys that are in no file. It is a "
      "fault if a filter is not used");
  auto* const arguments = NewOptions(command, run, RunDoctor);
  AddDatabase(command, &arguments->database);
  command->add_flag("--no-forecast", arguments->no_forecast,
                    "Do not build filters to find out what other settings "
                    "would give, which takes up to a minute, and 30 MB");
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
