// SPDX-License-Identifier: Apache-2.0

// TOC.txt lists the component files of an SSTable, one in each line.
// Tested in filterdb/tests/commands/mend/faults_test.cc.
// Tested in filterdb/tests/commands/mend/digests_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_TOC_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_TOC_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/filter_db/split.h"

namespace cassandra_bloom::tools {

constexpr char kTocName[] = "TOC.txt";

// In bytes. A real TOC.txt is far smaller.
constexpr uint64_t kMaxTocSize = uint64_t{1} << 20;

// Lines may end in CR LF, which the node's Java reads as one line end.
inline bool TocNames(std::string_view content, std::string_view component) {
  const std::vector<std::string_view> lines = Split(content, '\n');
  return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
    return line == component ||
           (line.size() == component.size() + 1 && line.back() == '\r' &&
            line.substr(0, component.size()) == component);
  });
}

// Returns the content of a TOC.txt with a line for Filter.db, which is added if
// there is none.
inline std::string CompletedToc(std::string content) {
  if (TocNames(content, "Filter.db")) {
    return content;
  }
  if (!content.empty() && content.back() != '\n') {
    content += '\n';
  }
  return std::move(content) + "Filter.db\n";
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_TOC_H_
