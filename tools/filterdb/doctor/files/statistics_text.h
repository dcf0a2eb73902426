// SPDX-License-Identifier: Apache-2.0

// Reads what RocksDB's statistics say about its filters. Statistics::ToString
// makes the text. `db_bench --statistics` prints it, and RocksDB dumps it into
// its LOG.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_STATISTICS_TEXT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_STATISTICS_TEXT_H_

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace cassandra_bloom::tools {

// How often Get and MultiGet, but not iterators, have asked a filter. The
// tickers have the same names in RocksDB 7.1 to 11.9. Before 8.3 they also
// count look-ups of prefixes.
struct FilterQuestions {
  uint64_t useful = 0;         // The filter said "no".
  uint64_t positive = 0;       // The filter said "maybe".
  uint64_t true_positive = 0;  // "Maybe", and the file had the key.

  uint64_t false_positives() const {
    return positive > true_positive ? positive - true_positive : 0;
  }
  // Questions for keys that are not in the file.
  uint64_t of_absent_keys() const { return useful + false_positives(); }
  std::optional<double> Rate() const;
};

// Parses the last dump in the text, whose counts include those of earlier
// dumps. Returns nullopt, and names what is missing in `*error`, if the text
// does not have these counts.
std::optional<FilterQuestions> ParseStatistics(std::istream* text,
                                               std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_STATISTICS_TEXT_H_
