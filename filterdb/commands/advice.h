// SPDX-License-Identifier: Apache-2.0

// What to do about what was found: only what fits, in the order in which it is
// to be done.
// Tested in filterdb/tests/commands/scan/advice_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/health/harm.h"

namespace cassandra_bloom::tools {

// What was found in a folder of SSTables that a node reads.
struct TableHarm {
  std::string folder;
  Harms harms;
  bool is_of_scylla = false;
  bool is_mendable = false;     // Whether a mend helps some of its SSTables.
  uint64_t num_data_bytes = 0;  // Of all Data.db files.
};

// Returns the lines that bring hidden rows back to all replicas after the
// filters are right again: repair, and what stands for it. Returns "" if no
// rows were hidden.
std::string RepairText(const std::vector<TableHarm>& tables);

// Returns the same as a list of objects, with the commands.
Json RepairJson(const std::vector<TableHarm>& tables);

// Returns what to do after a scan: RepairText, and what comes before it.
std::string AdviceText(const std::vector<TableHarm>& tables);

// Returns a word that the shell reads as `text`.
std::string Quoted(const std::string& text);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_
