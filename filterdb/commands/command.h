// SPDX-License-Identifier: Apache-2.0

// The subcommands of filterdb.
//
// Tested in filterdb/tests/commands/bad_lines_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_

#include "filterdb/commands/console.h"

namespace cassandra_bloom::tools {

// Each of these functions adds a subcommand to `app`. If the command line names
// the subcommand, parsing sets `*run`.
void AddInfo(CLI::App* app, Run* run);
void AddCheck(CLI::App* app, Run* run);
void AddBuild(CLI::App* app, Run* run);
void AddScan(CLI::App* app, Run* run);
void AddMend(CLI::App* app, Run* run);
void AddInstall(CLI::App* app, Run* run);
void AddFind(CLI::App* app, Run* run);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_
