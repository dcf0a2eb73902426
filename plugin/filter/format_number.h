// SPDX-License-Identifier: Apache-2.0

// Tested in tests/policy/create_from_string_test.cc.
// Tested in tests/filter_db/filter_db_file_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_FORMAT_NUMBER_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_FORMAT_NUMBER_H_

#include <charconv>
#include <string>

namespace cassandra_bloom {

// Returns the shortest text that is read back as this number, in any locale.
inline std::string FormatNumber(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_FORMAT_NUMBER_H_
