// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/rate_filter.h"

namespace cassandra_bloom::tools {
namespace {

struct InfoArguments {
  std::vector<std::string> files;
  std::string version;
  uint64_t keys_expected = 0;
  bool json = false;
};

struct Info {
  std::string file;
  FilterForm form;
  FilterFill fill;
  double estimated_keys = 0;
  // The false positive rate to expect for --keys-expected keys. 0 if the option
  // was not given, or if the file is empty.
  double design_rate = 0;
  FilterRating rating;

  uint64_t num_words() const { return fill.capacity_bits / 64; }
};

Info InfoOf(const std::string& file, const InfoArguments& options) {
  const auto filter = OpenFilter(file, options.version, "--sstable-version");
  const FilterFill fill = FillOf(*filter);
  Info info;
  info.file = file;
  info.form = filter->form();
  info.fill = fill;
  if (!filter->always_present()) {
    info.estimated_keys =
        EstimatedNumKeys(fill.num_probes, fill.set_bits, fill.capacity_bits);
    if (options.keys_expected > 0) {
      info.design_rate = DesignRate(fill, options.keys_expected);
    }
  }
  info.rating = RateFilter(fill, options.keys_expected);
  return info;
}

Json ToJson(const Info& info) {
  Json json = {{"file", info.file},
               {"form", FormName(info.form)},
               {"probes", info.fill.num_probes},
               {"words", info.num_words()},
               {"bits", info.fill.capacity_bits},
               {"set_bits", info.fill.set_bits},
               {"fill_ratio", info.fill.fill_ratio()}};
  // The JSON has null for an infinite estimate, because JSON has no infinity.
  json["estimated_keys"] = info.estimated_keys;
  json["estimated_rate"] = info.fill.rate();
  if (info.design_rate > 0) {
    json["design_rate"] = info.design_rate;
  }
  json["verdict"] = info.rating.verdict;
  json["fault"] = info.rating.is_fault;
  return json;
}

void Print(const Info& info) {
  std::printf("%s\n  form             %s\n", Printable(info.file).c_str(),
              FormName(info.form));
  if (info.fill.capacity_bits > 0) {
    std::printf("  probes (k)       %d\n", info.fill.num_probes);
    std::printf("  words            %" PRIu64 "\n", info.num_words());
    std::printf("  bits             %" PRIu64 "\n", info.fill.capacity_bits);
    std::printf("  set bits         %" PRIu64 "\n", info.fill.set_bits);
    std::printf("  fill ratio       %.3f\n", info.fill.fill_ratio());
    if (std::isinf(info.estimated_keys)) {
      std::printf("  estimated keys   (all bits are set)\n");
    } else {
      std::printf("  estimated keys   %.0f\n", info.estimated_keys);
    }
    std::printf("  estimated rate   %s of absent keys pass\n",
                Percent(info.fill.rate()).c_str());
  }
  if (info.design_rate > 0) {
    std::printf("  design rate      %s\n", Percent(info.design_rate).c_str());
  }
  std::printf("  verdict          %s\n", info.rating.verdict.c_str());
}

ExitCode RunInfo(const InfoArguments& options) {
  ExitCode exit_code = kGood;
  Json all = Json::array();
  for (const std::string& file : options.files) {
    try {
      const Info info = InfoOf(file, options);
      exit_code = std::max(exit_code, info.rating.is_fault ? kFault : kGood);
      if (options.json) {
        all.push_back(ToJson(info));
      } else {
        Print(info);
      }
    } catch (const Unusable& error) {  // The other files are still shown.
      PrintError(error);
      exit_code = kUnusable;
      all.push_back({{"file", file}, {"error", error.what()}, {"fault", true}});
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
  auto* const options = NewOptions(command, run, RunInfo);
  command->add_option("FILE", options->files, "Filter.db files")->required();
  AddVersion(command, "--sstable-version", &options->version,
             "the files; needed if their names do not give it");
  command
      ->add_option("--keys-expected", options->keys_expected,
                   "How many keys the filter should hold. Shows the design "
                   "rate for them; it is a fault if the estimated rate is not "
                   "75 to 125 % of the design rate and the number of set bits "
                   "is farther from that of so many keys than chance explains "
                   "(4 standard deviations; below also 3 keys without bits)")
      ->check(IsWholeNumberFrom(1));
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
