// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/answers_test.cc.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
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
  return (a.form() == kBeforeMa) == (b.form() == kBeforeMa) &&
         a.num_probes() == b.num_probes() && a.num_words() == b.num_words();
}

Json Parameters(const std::string& file, const FilterDbFile& filter) {
  return {{"file", file},
          {"form", FormName(filter.form())},
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
  Json files = {Parameters(options.a, *a), Parameters(options.b, *b)};
  const bool same_parameters = SameParameters(*a, *b);
  bool same = same_parameters;
  if (same_parameters) {
    files[0]["bits_only_here"] = CountOnlyInFirst(*a, *b);
    files[1]["bits_only_here"] = CountOnlyInFirst(*b, *a);
    same = files[0]["bits_only_here"] == 0 && files[1]["bits_only_here"] == 0;
  }
  if (options.json) {
    PrintJson({{"same", same},
               {"same_parameters", same_parameters},
               {"files", files}});
  } else if (same) {
    PrintText("the same filter\n");
  } else {
    PrintText(std::string(same_parameters
                              ? "other bits:\n"
                              : "other parameters, so the bits cannot be "
                                "compared:\n") +
              TableText(files, {{"form", "form"},
                                {"probes", "k"},
                                {"words", "words"},
                                {"bits_only_here", "bits only here", AsText,
                                 /*is_rare=*/true},
                                {"file", "file"}}));
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
