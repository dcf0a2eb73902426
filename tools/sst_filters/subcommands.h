// SPDX-License-Identifier: Apache-2.0

// The subcommands of sst_filters, and what they share.
//
// Tested in tests/sst_filters/command_line_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_SUBCOMMANDS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_SUBCOMMANDS_H_

#include "filterdb/commands/console.h"
#include "tools/sst_filters/database/open_database.h"

namespace cassandra_bloom::tools {

// Each of these functions adds a subcommand to `app`. If the command line names
// the subcommand, parsing sets `*run`.
void AddDoctor(CLI::App* app, Run* run);
void AddExport(CLI::App* app, Run* run);

// Adds --db and the options that say more of the database.
void AddDatabase(CLI::App* command, DatabaseOnDisk* database);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_SUBCOMMANDS_H_
