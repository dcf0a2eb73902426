// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/scan/scan_options.h"
#include "filterdb/commands/scan/scan_report.h"

namespace cassandra_bloom::tools {
namespace {

struct ScanArguments {
  ScanOptions scan;
  bool only_faults = false;
  bool json = false;
};

ExitCode RunScan(const ScanArguments& options) {
  const Scanned scanned = Scan(options.scan);
  if (options.json) {
    Json json = FindingsToJson(scanned.findings, scanned.errors);
    json["links"] = Json::array();
    for (const FolderLink& link : scanned.links) {
      json["links"].push_back({{"path", link.path}, {"target", link.target}});
    }
    json["left_out_folders"] = Json(scanned.left_out);
    PrintJson(json);
  } else {
    PrintFindings(scanned.findings, options.only_faults);
    std::fputs(LeftOutText(scanned.left_out).c_str(), stdout);
  }
  if (!scanned.errors.empty()) {
    return kUnusable;
  }
  const bool has_fault = std::any_of(
      scanned.findings.begin(), scanned.findings.end(),
      [](const FilterFinding& finding) { return finding.is_fault(); });
  return has_fault ? kFault : kGood;
}

}  // namespace

void AddScan(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "scan",
      "Examines the filters of a Cassandra or ScyllaDB data directory, and "
      "says which are wrong and why. Opens nothing for writing; the node may "
      "run");
  auto* const options = NewOptions(command, run, RunScan);
  options->scan.AddTo(command);
  auto* const fp_chance =
      command
          ->add_option("--default-fp-chance", options->scan.fp_chance,
                       "The planned bloom_filter_fp_chance of SSTables whose "
                       "Statistics.db does not have it")
          ->check(IsFpChance());
  // The old name of --default-fp-chance. The help does not show this name,
  // because --fp-chance means something else in mend.
  command->add_option("--fp-chance", options->scan.fp_chance)
      ->check(IsFpChance())
      ->check([fp_chance](const std::string&) {
        return fp_chance->count() > 0 ? "--default-fp-chance is given, too"
                                      : std::string();
      })
      ->group("");
  command->add_flag("--only-faults", options->only_faults,
                    "Leave SSTables without a fault out of the text");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
