// SPDX-License-Identifier: Apache-2.0

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/health/detect_form.h"
#include "filterdb/sstable/sstable_keys.h"

namespace cassandra_bloom::tools {
namespace {

struct CheckArguments {
  std::string file;
  std::string version;
  KeysOption keys;
  std::string absent;
  uint64_t max_listed = 10;
  bool json = false;
};

struct Result {
  bool always_present = false;
  uint64_t keys = 0;
  uint64_t missing = 0;
  std::vector<std::string> listed;  // The missing keys, in hexadecimal.
  // Another FilterForm in which the filter has every key. Set only if keys are
  // missing in the form that the user or the file name gives.
  std::optional<FilterForm> written_as;
  std::string index_fault;  // Empty if the index has no fault.
  uint64_t absent = 0;
  uint64_t false_positives = 0;
};

bool IsFault(const Result& result) {
  return result.missing > 0 || !result.index_fault.empty();
}

Json ToJson(const CheckArguments& options, const Result& result) {
  Json json = {{"file", options.file},
               {"keys", result.keys},
               {"missing", result.missing},
               {"missing_keys", result.listed}};
  if (result.written_as) {
    json["written_as"] = FormName(*result.written_as);
  }
  if (!options.absent.empty()) {
    json["absent_keys"] = result.absent;
    json["false_positives"] = result.false_positives;
  }
  if (!result.index_fault.empty()) {
    json["index_fault"] = result.index_fault;
  }
  json["fault"] = IsFault(result);
  return json;
}

void Print(const CheckArguments& options, const Result& result) {
  std::printf("%s: %s, %" PRIu64 " missing\n", Printable(options.file).c_str(),
              Count(result.keys, "key").c_str(), result.missing);
  if (result.always_present) {
    std::printf("  an empty file: every key is present\n");
  }
  for (const std::string& key : result.listed) {
    std::printf("  missing %s\n", key.c_str());
  }
  if (result.missing > result.listed.size()) {
    std::printf("  ... and %" PRIu64 " more\n",
                result.missing - result.listed.size());
  }
  if (result.written_as) {
    std::printf("  written as %s: read so, it has every key\n",
                FormName(*result.written_as));
  }
  if (!result.index_fault.empty()) {
    std::printf("  %s\n", Printable(result.index_fault).c_str());
  }
  if (result.absent > 0) {
    std::printf("  %" PRIu64 " of %s %s: %s\n", result.false_positives,
                Count(result.absent, "absent key").c_str(),
                result.absent == 1 ? "passes" : "pass",
                Percent(static_cast<double>(result.false_positives) /
                        static_cast<double>(result.absent))
                    .c_str());
  }
}

// Returns a form other than `not_this_one` in which the filter has every key.
// Returns nullopt if there is no such form, or if the keys cannot be read a
// second time.
std::optional<FilterForm> WrittenAs(const CheckArguments& options,
                                    FilterForm not_this_one, KeyReader* keys) {
  if (!keys->Rewind()) {
    return std::nullopt;  // The keys come from a pipe, for example.
  }
  std::string error;
  ProgressBar progress("trying other forms");
  const auto form = DetectForm(
      options.file, not_this_one, keys,
      [&](const KeyReader& read) {
        progress.Show(read.bytes_read(), read.total_bytes());
      },
      &error);
  if (!error.empty()) {
    throw Unusable(error);
  }
  return form;
}

// Throws Unusable if Index.db and the Data.db in the same folder have different
// keys, because a damaged Index.db would make a good filter look wrong. Does
// nothing if there is no such Data.db.
void VerifyIndex(const CheckArguments& options) {
  if (IsIndexDbBesideData(options.keys.index)) {
    ForEachKey(options.keys.Open(options.version, KeyChecks::kEveryKey).get(),
               "comparing with Data.db", [](std::string_view) {});
  }
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
  Result result;
  result.always_present = filter->always_present();
  const auto keys = options.keys.Open(options.version, KeyChecks::kCheap);
  ForEachKey(keys.get(), "checking", [&](std::string_view key) {
    ++result.keys;
    if (!filter->MayContain(key) && ++result.missing <= options.max_listed) {
      result.listed.push_back(ToHex(key));
    }
  });
  if (result.keys == 0) {
    throw Unusable(options.keys.Name() +
                   ": no keys, so there is nothing to ask the filter for");
  }
  result.index_fault = WrongIndexHashes(*keys);
  if (result.missing > 0) {
    VerifyIndex(options);
    result.written_as = WrittenAs(options, filter->form(), keys.get());
  }
  if (!options.absent.empty()) {
    const auto absent = options.keys.OpenFile(options.absent);
    ForEachKey(absent.get(), "measuring", [&](std::string_view key) {
      ++result.absent;
      result.false_positives += filter->MayContain(key);
    });
  }
  if (options.json) {
    PrintJson(ToJson(options, result));
  } else {
    Print(options, result);
  }
  return IsFault(result) ? kFault : kGood;
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
  command
      ->add_option("--max-listed", options->max_listed,
                   "List at most this many missing keys")
      ->check(IsWholeNumberFrom(0))
      ->capture_default_str();
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
