// SPDX-License-Identifier: Apache-2.0

// What is asked before an install changes its first file.
// Tested in filterdb/tests/commands/mend/install_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_BEFORE_INSTALL_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_BEFORE_INSTALL_H_

#include <string>
#include <vector>

#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {

struct InstallOptions {
  bool undo = false;
  bool dry_run = false;  // Only says what would be done. The node may run.
  // What the user says about the node, for file systems where the kernel does
  // not know.
  bool node_is_down = false;
};

std::string FolderOfLine(const RunLine& line);

// Whether the mend has made something for the SSTable.
bool HasWork(const RunLine& line);

// Asks for a few SSTables of each data directory, so that a node that runs is
// known before anything is written. Returns why not to begin, or "".
std::string WhyInUse(const std::vector<const RunLine*>& lines,
                     const InstallOptions& options);

// Returns which file system lacks how much, or "".
std::string WhatLacksSpace(const RunFolder& run,
                           const std::vector<const RunLine*>& lines,
                           const InstallOptions& options);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_BEFORE_INSTALL_H_
