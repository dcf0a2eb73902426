// SPDX-License-Identifier: Apache-2.0

// The subcommand "filterdb info".

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/filter/sizing.h"
#include "tools/filterdb/command.h"
#include "tools/filterdb/planned_rate.h"
#include "tools/sstable/health/filter_fill.h"

namespace cassandra_bloom::tools {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string version;
  uint64_t keys_expected = 0;
  bool json = false;
};

constexpr double kNearlyEmpty = 0.02;

struct Info {
  std::string file;
  FilterForm form;
  int num_probes;
  uint32_t num_words;
  uint64_t capacity_bits;
  uint64_t set_bits;
  double fill_ratio;
  double estimated_keys;
  double rate;
  // 0 if no number of keys was given, and for an empty file.
  double design_rate;
  std::string verdict;
  bool fault;
};

// A filter without any bits has the rate of no number of keys.
bool HasRateFor(uint64_t num_keys, const Info& info) {
  return info.num_words > 0 &&
         HasExpectedFill(info.num_probes, num_keys, info.set_bits,
                         info.capacity_bits);
}

// `is_as_planned`: the user has said how many keys there are, and the filter is
// like one of so many. One key alone may set less than 2 % of the bits.
void JudgeFill(bool is_as_planned, Info* info) {
  if (info->num_words == 0) {
    info->verdict = "always present: every look-up reads the disk";
  } else if (FilterFill{info->num_probes, info->set_bits, info->capacity_bits}
                 .is_saturated()) {
    info->verdict = "saturated";
    info->fault = true;
  } else if (info->fill_ratio < kNearlyEmpty && !is_as_planned) {
    info->verdict = "nearly empty";
  } else {
    info->verdict = "ok";
  }
}

void Judge(const Options& options, Info* info) {
  info->fault = false;
  const bool is_expected = options.keys_expected > 0;
  const bool is_as_planned =
      is_expected && HasRateFor(options.keys_expected, *info);
  JudgeFill(is_as_planned, info);
  if (is_expected && !is_as_planned) {
    info->fault = true;
    info->verdict = (info->verdict == "ok" ? "" : info->verdict + ", ") +
                    "rate not as planned for " +
                    Count(options.keys_expected, "key");
  }
}

Info InfoOf(const std::string& file, const Options& options) {
  const auto filter = OpenFilter(file, options.version, "--sstable-version");
  Info info = {};
  info.file = file;
  info.form = filter->form();
  info.num_probes = filter->num_probes();
  info.num_words = filter->num_words();
  info.capacity_bits = filter->capacity_bits();
  info.set_bits = filter->CountSetBits();
  info.rate = ObservedFalsePositiveRate(info.num_probes, info.set_bits,
                                        info.capacity_bits);
  if (!filter->always_present()) {
    info.fill_ratio = static_cast<double>(info.set_bits) /
                      static_cast<double>(info.capacity_bits);
    info.estimated_keys =
        EstimatedNumKeys(info.num_probes, info.set_bits, info.capacity_bits);
    if (options.keys_expected > 0) {
      info.design_rate = FalsePositiveRate(
          info.num_probes, static_cast<double>(options.keys_expected),
          static_cast<double>(info.capacity_bits));
    }
  }
  Judge(options, &info);
  return info;
}

Json ToJson(const Info& info) {
  Json json = {{"file", info.file},
               {"form", FormName(info.form)},
               {"probes", info.num_probes},
               {"words", info.num_words},
               {"bits", info.capacity_bits},
               {"set_bits", info.set_bits},
               {"fill_ratio", info.fill_ratio}};
  // An infinite estimate becomes null, because JSON has no infinity.
  json["estimated_keys"] = info.estimated_keys;
  json["estimated_rate"] = info.rate;
  if (info.design_rate > 0) {
    json["design_rate"] = info.design_rate;
  }
  json["verdict"] = info.verdict;
  json["fault"] = info.fault;
  return json;
}

void Print(const Info& info) {
  std::printf("%s\n", Printable(info.file).c_str());
  std::printf("  form             %s\n", FormName(info.form));
  if (info.num_words > 0) {
    std::printf("  probes (k)       %d\n", info.num_probes);
    std::printf("  words            %u\n", info.num_words);
    std::printf("  bits             %llu\n",
                static_cast<unsigned long long>(info.capacity_bits));
    std::printf("  set bits         %llu\n",
                static_cast<unsigned long long>(info.set_bits));
    std::printf("  fill ratio       %.3f\n", info.fill_ratio);
    if (std::isinf(info.estimated_keys)) {
      std::printf("  estimated keys   (all bits are set)\n");
    } else {
      std::printf("  estimated keys   %.0f\n", info.estimated_keys);
    }
    std::printf("  estimated rate   %s of absent keys pass\n",
                Percent(info.rate).c_str());
  }
  if (info.design_rate > 0) {
    std::printf("  design rate      %s\n", Percent(info.design_rate).c_str());
  }
  std::printf("  verdict          %s\n", info.verdict.c_str());
}

ExitCode RunInfo(const Options& options) {
  ExitCode exit_code = kGood;
  Json all = Json::array();
  for (const std::string& file : options.files) {
    try {
      const Info info = InfoOf(file, options);
      exit_code = std::max(exit_code, info.fault ? kFault : kGood);
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
