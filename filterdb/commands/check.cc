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

// Asks for all keys. Returns the number of keys, and of those that the filter
// denies, with the first of them.
Json AskForKeys(const FilterDbFile& filter, KeyReader* keys) {
  constexpr uint64_t kMostListed = 10;
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  Json listed = Json::array();
  ForEachKey(keys, "checking", [&](std::string_view key) {
    ++num_keys;
    if (!filter.MayContain(key) && ++num_missing <= kMostListed) {
      listed.push_back(ToHex(key));
    }
  });
  return {
      {"keys", num_keys}, {"missing", num_missing}, {"missing_keys", listed}};
}

ExitCode RunCheck(const CheckArguments& options) {
  const auto filter =
      OpenFilter(options.file, options.version, "--sstable-version");
  const auto keys = options.keys.Open(options.version);
  Json answer = {{"file", options.file}};
  answer.update(AskForKeys(*filter, keys.get()));
  if (answer["keys"] == 0) {
    throw Unusable(options.keys.Name() +
                   ": no keys, so there is nothing to ask the filter for");
  }
  const std::string index_fault = WrongIndexHashes(*keys);
  if (!index_fault.empty()) {
    answer["index_fault"] = index_fault;
  }
  const bool are_keys_missing = answer["missing"] > 0;
  const bool is_fault = are_keys_missing || !index_fault.empty();
  PrintList(answer, options.json);
  return is_fault ? kHarm : kGood;
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
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
