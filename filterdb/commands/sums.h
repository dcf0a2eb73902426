// SPDX-License-Identifier: Apache-2.0

// The sums of each folder of SSTables, as scan prints them.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SUMS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SUMS_H_

#include <map>
#include <string>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/output.h"
#include "filterdb/health/totals.h"

namespace cassandra_bloom::tools {

class Sums {
 public:
  // `chances` are those of --what-if.
  explicit Sums(std::vector<double> chances) : chances_(std::move(chances)) {}

  void Add(const Examined& examined);

  const Totals& all() const { return all_; }
  // Those of folders that a node reads.
  const TableHarms& harms() const { return harms_; }

  // With the list `tables` and, if there are chances, the list `what_if`.
  Json ToJson() const;
  // If there are chances, a table for each folder with what they would cost.
  std::string Text() const;

 private:
  Json WhatIf() const;

  const std::vector<double> chances_;
  std::map<std::string, Totals> folders_;
  TableHarms harms_;
  Totals all_;
};

// Reads chances such as "0.001,0.01". Throws WrongUsage.
std::vector<double> ParseChances(const std::string& text);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SUMS_H_
