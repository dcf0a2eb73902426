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

// What was found in a folder of SSTables: of a table, or of a secondary index.
struct Table {
  // …/KEYSPACE/TABLE-ID, perhaps with a folder in it (Cassandra's Directories).
  // If no node reads the folder, nothing is to be done about it.
  Table(const std::string& folder, bool is_in_use);

  bool has(Harm harm) const { return is_in_use && harms.has(harm); }
  // Whether compactions may have missed deletions. Where a scrub is due, rows
  // may be lost, too. Cassandra 5.0 starts without an SSTable that it refuses;
  // ScyllaDB does not start.
  bool loses() const {
    return has(Harm::kHidesRows) || has(Harm::kDamaged) ||
           (has(Harm::kRefused) && !is_of_scylla);
  }
  bool needs_mend() const {
    return is_mendable && (has(Harm::kHidesRows) || has(Harm::kRefused) ||
                           has(Harm::kWastesReads));
  }

  const bool is_in_use;
  std::string name;   // As nodetool takes it: keyspace and table.
  std::string index;  // The name of the index, or "".
  // A table of this node alone (SchemaConstants.LOCAL_SYSTEM_KEYSPACE_NAMES),
  // which cannot be repaired from another one.
  bool is_of_node = false;
  Harms harms;
  bool is_of_scylla = false;
  bool is_mendable = false;     // Whether a mend helps some of its SSTables.
  uint64_t num_data_bytes = 0;  // Of all Data.db files.
};
using Tables = std::map<std::string, Table>;  // By the folder.

void AddTo(Tables* tables, const Examined& examined);

// Returns what to do after a scan. After an install, only the lines are left
// that bring hidden rows back to all replicas, by a repair and what stands for
// it.
std::string AdviceText(const Tables& tables, bool after_install = false);

// Returns the folders that need a repair, or what stands for it, each with the
// command.
Json RepairJson(const Tables& tables);

// Returns a word that the shell reads as `text`.
std::string Quoted(const std::string& text);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_ADVICE_H_
