// SPDX-License-Identifier: Apache-2.0

// Tested in tests/filter_db/sstable_version_test.cc.
// Tested in tests/export/export_folder_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SPLIT_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SPLIT_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace cassandra_bloom {

// Returns the parts of the text between the separators: at least one part,
// which may be empty.
inline std::vector<std::string_view> Split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SPLIT_H_
