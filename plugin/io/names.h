// SPDX-License-Identifier: Apache-2.0

// Functions for parts of file names. They have no tests of their own.
// sstable_version_test.cc and transaction_logs_test.cc test the code that calls
// these functions.

#ifndef CASSANDRA_BLOOM_PLUGIN_IO_NAMES_H_
#define CASSANDRA_BLOOM_PLUGIN_IO_NAMES_H_

#include <string_view>

namespace cassandra_bloom {

inline bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

inline std::string_view FileNameOf(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_NAMES_H_
