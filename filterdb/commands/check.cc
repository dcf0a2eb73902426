// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/answers_test.cc.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"

namespace cassandra_bloom::tools {
namespace {

struct CheckArguments {
  std::string file;
  std::string version;
  KeysOption keys;
  bool json = false;
};

ExitCode RunCheck(const CheckArguments& options) {
  constexpr uint64_t kMostListed = 10;
  const auto filter = OpenFilter(options.file, options.version);
  const auto keys = options.keys.Open(options.version);
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  Json listed = Json::array();
  ForEachKey(keys.get(), "checking", [&](std::string_view key) {
    ++num_keys;
    if (!filter->MayContain(key) && ++num_missing <= kMostListed) {
      listed.push_back(ToHex(key));
    }
  });
  if (num_keys == 0) {
    const KeysOption& given = options.keys;
    throw Unusable(NameOfInput(given.keys.empty() ? given.index : given.keys) +
                   ": no keys, so there is nothing to ask the filter for");
  }
  Json answer = {{"file", options.file},
                 {"keys", num_keys},
                 {"missing", num_missing},
                 {"missing_keys", listed}};
  const std::string index_fault = WrongIndexHashes(*keys);
  if (!index_fault.empty()) {
    answer["index_fault"] = index_fault;
  }
  PrintList(answer, options.json);
  return num_missing > 0 || !index_fault.empty() ? kHarm : kGood;
}

}  // namespace

void AddCheck(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "check",
      "Asks a Filter.db for keys that it must have; a missing key is a fault");
  command->footer(
      "Example: filterdb check nb-1-big-Filter.db --index=nb-1-big-Index.db");
  auto* const options = NewOptions(command, run, RunCheck);
  command->add_option("FILE", options->file, "The Filter.db")->required();
  options->keys.AddTo(command);
  AddVersion(command, &options->version);
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
