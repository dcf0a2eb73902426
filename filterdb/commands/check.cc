// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/answers_test.cc.

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/health/filter_fill.h"

namespace cassandra_bloom::tools {
namespace {

struct CheckArguments {
  std::string file;
  std::string version;
  KeysOption keys;
  std::string absent;
  bool json = false;
};

// Returns a form, other than `not_this_one`, in which the filter has every key.
// Ignores a form in which all keys may pass by chance, because they are few, or
// because many bits are set. Returns nullopt if there is no such form, or if
// the keys cannot be read again. Has one copy of the filter's bits in memory.
std::optional<FilterForm> WrittenAs(const std::string& path,
                                    FilterForm not_this_one, KeyReader* keys) {
  constexpr double kUnlikely = 0.001;
  for (const FilterForm form : {kNaAndLater, kMaToMe, kBeforeMa}) {
    if (form == not_this_one) {
      continue;
    }
    if (!keys->Rewind()) {
      return std::nullopt;  // The keys come from a pipe, for example.
    }
    const auto filter = OrUnusable([&](std::string* error) {
      return FilterDbFile::Open(path, form, error);
    });
    bool has_all = true;
    double num_keys = 0;
    for (std::string_view key; has_all && keys->Next(&key); ++num_keys) {
      has_all = filter->MayContain(key);
    }
    if (!keys->error().empty()) {
      throw Unusable(keys->error());
    }
    if (has_all && std::pow(FillOf(*filter).rate(), num_keys) <= kUnlikely) {
      return form;
    }
  }
  return std::nullopt;
}

// Asks for all keys. `what` is the title of the progress bar. Returns the
// number of keys, and of those that the filter denies, with the first of them.
Json AskForKeys(const FilterDbFile& filter, KeyReader* keys,
                const std::string& what) {
  constexpr uint64_t kMostListed = 10;
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  Json listed = Json::array();
  ForEachKey(keys, what, [&](std::string_view key) {
    ++num_keys;
    if (!filter.MayContain(key) && ++num_missing <= kMostListed) {
      listed.push_back(ToHex(key));
    }
  });
  return {
      {"keys", num_keys}, {"missing", num_missing}, {"missing_keys", listed}};
}

// Adds how many of the keys, which are not in the SSTable, the filter lets
// pass.
void AskForAbsentKeys(const FilterDbFile& filter, KeyReader* keys,
                      Json* answer) {
  const Json asked = AskForKeys(filter, keys, "measuring");
  const uint64_t num_keys = asked["keys"];
  const uint64_t num_passed = num_keys - asked["missing"].get<uint64_t>();
  (*answer)["absent_keys"] = num_keys;
  (*answer)["false_positives"] = num_passed;
  if (num_keys > 0) {
    (*answer)["measured_rate"] =
        static_cast<double>(num_passed) / static_cast<double>(num_keys);
  }
}

ExitCode RunCheck(const CheckArguments& options) {
  if (options.absent == "-" && options.keys.keys == "-") {
    throw Unusable(
        "--absent=-: the keys are already read from standard input; give one "
        "of the two in a file");
  }
  const auto filter =
      OpenFilter(options.file, options.version, "--sstable-version");
  const auto keys = options.keys.Open(options.version);
  Json answer = {{"file", options.file}};
  answer.update(AskForKeys(*filter, keys.get(), "checking"));
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
    if (const auto form = WrittenAs(options.file, filter->form(), keys.get())) {
      answer["written_as"] = FormName(*form);
    }
  }
  if (!options.absent.empty()) {
    AskForAbsentKeys(*filter, options.keys.OpenFile(options.absent).get(),
                     &answer);
  }
  const bool is_fault = are_keys_missing || !index_fault.empty();
  answer["fault"] = is_fault;
  PrintList(answer, options.json);
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
