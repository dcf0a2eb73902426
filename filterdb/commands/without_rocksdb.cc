// SPDX-License-Identifier: Apache-2.0

// Replaces the subcommands export and doctor in a filterdb that is built
// without RocksDB (CASSANDRA_BLOOM_CORE_ONLY).

#include <string>

#include "filterdb/commands/command.h"

namespace cassandra_bloom::tools {
namespace {

struct NoOptions {};

ExitCode RunWithoutRocksdb(const NoOptions& /*options*/) {
  throw Unusable(
      "this filterdb was built without RocksDB, which export and doctor need; "
      "install the package filterdb, or build it where librocksdb-dev is "
      "installed, without -DCASSANDRA_BLOOM_CORE_ONLY=ON");
}

void AddUnavailable(CLI::App* app, const std::string& name,
                    const std::string& what_it_does, Run* run) {
  auto* const command = app->add_subcommand(
      name, what_it_does + " Not in this build, which is without RocksDB");
  command->allow_extras();  // Any options give the same error.
  NewOptions(command, run, RunWithoutRocksdb);
}

}  // namespace

void AddExport(CLI::App* app, Run* run) {
  AddUnavailable(app, "export", "Exports Filter.db files from RocksDB.", run);
}

void AddDoctor(CLI::App* app, Run* run) {
  AddUnavailable(app, "doctor", "Examines the filters of a RocksDB database.",
                 run);
}

}  // namespace cassandra_bloom::tools
