// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/answers_test.cc.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/health/filter_fill.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

struct InfoArguments {
  std::vector<std::string> files;
  std::string version;
  bool json = false;
};

const char* VerdictOf(const FilterFill& fill) {
  constexpr double kNearlyEmpty = 0.02;
  return fill.capacity_bits == 0 ? "empty: every look-up reads the disk"
         : fill.is_saturated()   ? "saturated"
         : fill.fill_ratio() < kNearlyEmpty ? "nearly empty"
                                            : "ok";
}

Json InfoOf(const std::string& file, const std::string& version) {
  const auto filter = OpenFilter(file, version, "--sstable-version");
  const FilterFill fill = FillOf(*filter);
  Json info = {{"file", file},
               {"form", FormName(filter->form())},
               {"probes", fill.num_probes},
               {"words", filter->num_words()},
               {"bits", fill.capacity_bits},
               {"set_bits", fill.set_bits},
               {"fill_ratio", fill.fill_ratio()}};
  if (!filter->always_present()) {
    const double keys =
        EstimatedNumKeys(fill.num_probes, fill.set_bits, fill.capacity_bits);
    info["estimated_keys"] =
        std::isinf(keys) ? Json() : Json(std::llround(keys));
  }
  info["estimated_rate"] = fill.rate();
  info["verdict"] = VerdictOf(fill);
  return info;
}

ExitCode RunInfo(const InfoArguments& options) {
  ExitCode exit_code = kGood;
  Json all = Json::array();
  for (const std::string& file : options.files) {
    try {
      all.push_back(InfoOf(file, options.version));
      if (!options.json) {
        PrintText(ListText(all.back()));
      }
    } catch (const Unusable& error) {  // The other files are still shown.
      PrintError(error);
      exit_code = kNotKnown;
      all.push_back({{"file", file}, {"error", error.what()}});
    }
  }
  if (options.json) {
    PrintJson(all);
  }
  return exit_code;
}

}  // namespace

void AddInfo(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "info", "Shows what a Filter.db holds, and whether it is of use");
  command->footer("Example: filterdb info nb-1-big-Filter.db");
  auto* const options = NewOptions(command, run, RunInfo);
  command->add_option("FILE", options->files, "Filter.db files")->required();
  AddVersion(command, "--sstable-version", &options->version,
             "the files; needed if their names do not give it");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
