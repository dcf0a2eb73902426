// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/convert_test.cc.

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "filterdb/commands/command.h"
#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

struct DiffArguments {
  std::string a;
  std::string b;
  std::string version_a;
  std::string version_b;
  bool json = false;
};

bool SameParameters(const FilterDbFile& a, const FilterDbFile& b) {
  if (a.always_present() && b.always_present()) {
    return true;  // An empty Filter.db is the same in every form.
  }
  return a.form().hash_order == b.form().hash_order &&
         a.num_probes() == b.num_probes() && a.num_words() == b.num_words();
}

Json Parameters(const FilterDbFile& filter) {
  return {{"form", FormName(filter.form())},
          {"probes", filter.num_probes()},
          {"words", filter.num_words()}};
}

uint64_t CountOnlyInFirst(const FilterDbFile& first,
                          const FilterDbFile& second) {
  uint64_t count = 0;
  for (size_t i = 0; i < 8 * size_t{first.num_words()}; i += 8) {
    count += static_cast<uint64_t>(
        __builtin_popcountll(LoadLittleEndian64(first.bits() + i) &
                             ~LoadLittleEndian64(second.bits() + i)));
  }
  return count;
}

ExitCode RunDiff(const DiffArguments& options) {
  const auto a = OpenFilter(options.a, options.version_a, "--version-a");
  const auto b = OpenFilter(options.b, options.version_b, "--version-b");
  Json json = {{"a", Parameters(*a)}, {"b", Parameters(*b)}};
  if (!SameParameters(*a, *b)) {
    json["same_parameters"] = false;
    json["same"] = false;
    if (options.json) {
      PrintJson(json);
    } else {
      std::printf("different parameters, so the bits cannot be compared:\n");
      for (const auto* filter : {a.get(), b.get()}) {
        std::printf(
            "  %-12s %2d probes %10u words  %s\n", FormName(filter->form()),
            filter->num_probes(), filter->num_words(),
            Printable(filter == a.get() ? options.a : options.b).c_str());
      }
    }
    return kFault;
  }
  const uint64_t only_in_a = CountOnlyInFirst(*a, *b);
  const uint64_t only_in_b = CountOnlyInFirst(*b, *a);
  const bool same = only_in_a == 0 && only_in_b == 0;
  json["same_parameters"] = true;
  json["bits_only_in_a"] = only_in_a;
  json["bits_only_in_b"] = only_in_b;
  json["same"] = same;
  if (options.json) {
    PrintJson(json);
  } else if (same) {
    std::printf("the same filter\n");
  } else {
    std::printf("same parameters; %s only in %s, %" PRIu64 " only in %s\n",
                Count(only_in_a, "bit").c_str(), Printable(options.a).c_str(),
                only_in_b, Printable(options.b).c_str());
  }
  return same ? kGood : kFault;
}

}  // namespace

void AddDiff(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "diff", "Compares two Filter.db files; it is a fault if they differ");
  auto* const options = NewOptions(command, run, RunDiff);
  command->add_option("A", options->a, "A Filter.db")->required();
  command->add_option("B", options->b, "The Filter.db to compare A with")
      ->required();
  AddVersion(command, "--version-a", &options->version_a,
             "A; needed if its name does not give it");
  AddVersion(command, "--version-b", &options->version_b,
             "B; needed if its name does not give it");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
