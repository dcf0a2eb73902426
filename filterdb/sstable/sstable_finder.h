// SPDX-License-Identifier: Apache-2.0

// Finds the SSTables of a data directory of Cassandra or ScyllaDB.
// Tested in filterdb/tests/commands/scan/folders_test.cc.
// Tested in filterdb/tests/commands/scan/names_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_FINDER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_FINDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "filterdb/sstable/sstable.h"
#include "filterdb/sstable/transaction_logs.h"

namespace cassandra_bloom::tools {

struct FoundSstables {
  std::vector<Sstable> sstables;  // By operand, folder and generation.
  // The number of skipped folders of each name: "snapshots" and "backups" that
  // are not empty.
  std::map<std::string, uint64_t> left_out;
  // Sentences about what could not be read, about links to folders, and about
  // operands without an SSTable. An SSTable of which this user may not read a
  // file is named here, and is not in `sstables`.
  std::vector<std::string> errors;
};

// Each operand is the path of a folder or of a file. A folder is searched with
// all folders in it. For a file, the result has the SSTable of the file. The
// result has each SSTable only once. Links to folders are followed only if they
// are operands themselves.
FoundSstables FindSstables(const std::vector<std::string>& operands);

// Sets the state of an SSTable, and what the logs of its folder say about it.
void SetState(const TransactionLogs& logs, Sstable* sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_FINDER_H_
