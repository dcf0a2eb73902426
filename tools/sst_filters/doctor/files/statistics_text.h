// SPDX-License-Identifier: Apache-2.0

// Reads what RocksDB's statistics say about its filters. The text is that of
// Statistics::ToString, which `db_bench --statistics` prints and RocksDB writes
// to its LOG.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_STATISTICS_TEXT_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_STATISTICS_TEXT_H_

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace cassandra_bloom::tools {

// How often Get and MultiGet have asked a filter. Iterators are not counted.
// RocksDB 7.1 to 11.9 has the same names for these counters. Before 8.3, they
// also count look-ups of prefixes.
struct FilterQuestions {
  uint64_t useful = 0;         // The filter said "no".
  uint64_t positive = 0;       // The filter said "maybe".
  uint64_t true_positive = 0;  // "Maybe", and the file had the key.

  uint64_t false_positives() const {
    return positive > true_positive ? positive - true_positive : 0;
  }
  uint64_t of_absent_keys() const { return useful + false_positives(); }
  std::optional<double> Rate() const;
};

// Reads the counts from the text. If a count occurs several times, the last
// value is used. If a count is missing, returns nullopt and names the count in
// `*error`.
std::optional<FilterQuestions> ParseStatistics(std::istream* text,
                                               std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_STATISTICS_TEXT_H_
