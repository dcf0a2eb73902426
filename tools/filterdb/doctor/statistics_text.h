// SPDX-License-Identifier: Apache-2.0

// What RocksDB's statistics say of its filters, in the text of
// Statistics::ToString, which `db_bench --statistics` prints and which RocksDB
// dumps into its LOG.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_STATISTICS_TEXT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_STATISTICS_TEXT_H_

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace cassandra_bloom::tools {

// Of Get and MultiGet, with the same names in RocksDB 7.1 to 11.8. Iterators
// are not in them, and keys that are asked by their prefix only before 8.3.
struct FilterQuestions {
  uint64_t useful = 0;         // The filter said no.
  uint64_t positive = 0;       // It said maybe,
  uint64_t true_positive = 0;  // and the file had the key.

  uint64_t false_positives() const {
    return positive > true_positive ? positive - true_positive : 0;
  }
  // For a key that is not in the file.
  uint64_t of_absent_keys() const { return useful + false_positives(); }
  std::optional<double> Rate() const;
};

// A text with several dumps, whose counts go on from one to the next, has the
// last one. None, and what is missing, if it has no such counts.
std::optional<FilterQuestions> ParseStatistics(std::istream* text,
                                               std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_STATISTICS_TEXT_H_
