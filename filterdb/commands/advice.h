// SPDX-License-Identifier: Apache-2.0

// What to do about what was found: only what fits, in the order in which it is
// to be done.
// Tested in filterdb/tests/commands/scan/advice_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_

#include <cstdint>
#include <map>
#include <string>

#include "filterdb/commands/output.h"
#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// What was found in a folder of SSTables that a node reads.
struct TableHarm {
  Harms harms;
  bool is_of_scylla = false;
  bool is_mendable = false;     // Whether a mend helps some of its SSTables.
  uint64_t num_data_bytes = 0;  // Of all Data.db files.
};
using TableHarms = std::map<std::string, TableHarm>;  // By the folder.

// Adds an SSTable, if a node reads its folder.
void AddTo(TableHarms* tables, const Examined& examined);

// Returns what to do after a scan. After an install, only the lines are left
// that bring hidden rows back to all replicas, by a repair and what stands for
// it.
std::string AdviceText(const TableHarms& tables, bool after_install = false);

// Returns the folders that need a repair, or what stands for it, each with the
// command.
Json RepairJson(const TableHarms& tables);

// Returns a word that the shell reads as `text`.
std::string Quoted(const std::string& text);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_
