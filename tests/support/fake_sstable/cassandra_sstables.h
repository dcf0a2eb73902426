// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_CASSANDRA_SSTABLES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_CASSANDRA_SSTABLES_H_

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/cassandra_data.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

inline std::string CassandraSstable(const std::string& name) {
  for (const std::string& folder : CassandraSstables()) {
    if (folder.substr(folder.find_last_of('/') + 1) == name) {
      return folder;
    }
  }
  throw std::runtime_error("no " + name);
}

inline std::vector<std::string> HexLines(const std::string& path) {
  const std::string content = ReadFile(path);
  std::vector<std::string> lines;
  for (size_t at = 0; at < content.size();) {
    const size_t end = std::min(content.find('\n', at), content.size());
    lines.push_back(FromHex(content.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_CASSANDRA_SSTABLES_H_
