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
  std::vector<TableHarm> harms() const;

  std::string Text() const;
  Json ToJson() const;  // With the list `tables`.

  std::string WhatIfText() const;
  Json WhatIfJson() const;

 private:
  struct Folder {
    Totals totals;
    TableHarm harm;
    bool is_in_use = true;
  };

  Json CostsOf(const std::string& folder, const Totals& totals) const;

  const std::vector<double> chances_;
  std::map<std::string, Folder> folders_;
  Totals all_;
};

// Reads chances such as "0.001,0.01". Throws WrongUsage.
std::vector<double> ParseChances(const std::string& text);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SUMS_H_
