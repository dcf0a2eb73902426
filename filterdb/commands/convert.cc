// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/answers_test.cc.

#include <nlohmann/json.hpp>
#include <string>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "plugin/filter_db/filter_db_file.h"

namespace cassandra_bloom::tools {
namespace {

struct ConvertArguments {
  std::string in;
  OutputFile out;
  std::string from;
  std::string to;
  bool json = false;
};

ExitCode RunConvert(const ConvertArguments& options) {
  const auto filter = OpenFilter(options.in, options.from, "--from");
  const FilterForm to = options.out.Form(options.to, "--to");
  options.out.CheckCanWrite(options.json);
  if (filter->always_present()) {
    throw Unusable(options.in +
                   ": an empty file, which means that every key is present, "
                   "is the same in every form; copy it");
  }
  if ((to == kBeforeMa) != (filter->form() == kBeforeMa)) {
    throw Unusable(
        options.in + ": a filter of the form " + FormName(filter->form()) +
        " cannot become one of " + FormName(to) +
        ": SSTable version ma swapped the halves of the hash, so every key has "
        "other bits, and a filter does not contain the keys themselves. Build "
        "it anew from the keys or from Index.db with 'filterdb build'");
  }
  options.out.Write(FilterDbContent(to, filter->num_probes(),
                                    filter->num_words(), filter->bits()));
  PrintList({{"file", options.out.Name()},
             {"from", FormName(filter->form())},
             {"to", FormName(to)}},
            options.json);
  return kGood;
}

}  // namespace

void AddConvert(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "convert", "Writes a Filter.db in the form of another SSTable version");
  auto* const options = NewOptions(command, run, RunConvert);
  command->add_option("IN", options->in, "The Filter.db to read")->required();
  options->out.AddTo(command, "OUT");
  AddVersion(command, "--from", &options->from,
             "IN; needed if its name does not give it");
  AddVersion(command, "--to", &options->to,
             "OUT; needed if its name does not give it");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
