// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/answers_test.cc.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/printer.h"
#include "filterdb/health/detect_form.h"
#include "filterdb/sstable/sstable_keys.h"

namespace cassandra_bloom::tools {
namespace {

struct CheckArguments {
  std::string file;
  std::string version;
  KeysOption keys;
  std::string absent;
  bool json = false;
};

// Returns a form other than `not_this_one` in which the filter has every key.
// Returns nullopt if there is no such form, or if the keys cannot be read a
// second time.
std::optional<FilterForm> WrittenAs(const CheckArguments& options,
                                    FilterForm not_this_one, KeyReader* keys) {
  if (!keys->Rewind()) {
    return std::nullopt;  // The keys come from a pipe, for example.
  }
  std::string error;
  const auto form = DetectForm(options.file, not_this_one, keys, &error);
  if (!error.empty()) {
    throw Unusable(error);
  }
  return form;
}

// Throws Unusable if the index and the Data.db beside it have different keys,
// because a damaged index would make a good filter look wrong.
void VerifyIndex(const CheckArguments& options) {
  if (!options.keys.index.empty()) {
    ForEachKey(options.keys.Open(options.version, KeyChecks::kEveryKey).get(),
               "comparing with Data.db", [](std::string_view) {});
  }
}

// Adds the number of keys, and of those that the filter denies, with the first
// of them.
void AskForKeys(const FilterDbFile& filter, KeyReader* keys, Json* answer) {
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
  (*answer)["keys"] = num_keys;
  (*answer)["missing"] = num_missing;
  (*answer)["missing_keys"] = listed;
}

void AskForAbsentKeys(const FilterDbFile& filter, KeyReader* keys,
                      Json* answer) {
  uint64_t num_keys = 0;
  uint64_t num_passed = 0;
  ForEachKey(keys, "measuring", [&](std::string_view key) {
    ++num_keys;
    num_passed += filter.MayContain(key) ? 1 : 0;
  });
  (*answer)["absent_keys"] = num_keys;
  (*answer)["false_positives"] = num_passed;
  if (num_keys > 0) {
    (*answer)["measured_rate"] =
        static_cast<double>(num_passed) / static_cast<double>(num_keys);
  }
}

std::vector<Field> FieldsOfCheck() {
  return {{"file", ""},
          {"keys", "keys"},
          {"missing", "missing"},
          {"missing_keys", "missing key"},
          {"written_as", "has every key if read as"},
          {"index_fault", "index"},
          {"absent_keys", "absent keys"},
          {"false_positives", "of these pass"},
          {"measured_rate", "measured rate", AsPercent}};
}

ExitCode RunCheck(const CheckArguments& options) {
  if (options.absent == "-" &&
      (options.keys.keys == "-" || options.keys.index == "-")) {
    throw Unusable(
        "--absent=-: the keys are already read from standard input; give one "
        "of the two in a file");
  }
  const auto filter =
      OpenFilter(options.file, options.version, "--sstable-version");
  const auto keys = options.keys.Open(options.version, KeyChecks::kCheap);
  Json answer = {{"file", options.file}};
  AskForKeys(*filter, keys.get(), &answer);
  if (answer["keys"] == 0) {
    throw Unusable(options.keys.Name() +
                   ": no keys, so there is nothing to ask the filter for");
  }
  const std::string index_fault = WrongIndexHashes(*keys);
  if (!index_fault.empty()) {
    answer["index_fault"] = index_fault;
  }
  const bool are_keys_missing = answer["missing"] > 0;
  if (are_keys_missing) {
    VerifyIndex(options);
    if (const auto form = WrittenAs(options, filter->form(), keys.get())) {
      answer["written_as"] = FormName(*form);
    }
  }
  if (!options.absent.empty()) {
    AskForAbsentKeys(*filter, options.keys.OpenFile(options.absent).get(),
                     &answer);
  }
  const bool is_fault = are_keys_missing || !index_fault.empty();
  answer["fault"] = is_fault;
  PrintList(answer, FieldsOfCheck(), options.json);
  return is_fault ? kFault : kGood;
}

}  // namespace

void AddCheck(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "check",
      "Asks a Filter.db for keys that it must have; a missing key is a fault");
  auto* const options = NewOptions(command, run, RunCheck);
  command->add_option("FILE", options->file, "The Filter.db")->required();
  options->keys.AddTo(command);
  command
      ->add_option("--absent", options->absent,
                   "File of keys that are not in the SSTable, to measure the "
                   "false positive rate; - for standard input")
      ->type_name("FILE");
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
