// SPDX-License-Identifier: Apache-2.0

// TOC.txt: the names of an SSTable's components, one a line.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOC_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOC_H_

#include <cstdint>
#include <string_view>

namespace cassandra_bloom::tools {

// In bytes. A real TOC.txt is far smaller.
constexpr uint64_t kMaxTocSize = uint64_t{1} << 20;

// The error for a TOC.txt that does not name Data.db, as after a full disk has
// cut it. Such a TOC.txt is not completed: to add Filter.db would hide the
// damage.
constexpr char kTocIsDamaged[] =
    "does not name Data.db; it is damaged: list the components of the SSTable "
    "in it, one a line";

// Whether the content of a TOC.txt names a component, such as "Filter.db".
inline bool TocNames(std::string_view content, std::string_view component) {
  while (!content.empty()) {
    const size_t end = content.find('\n');
    if (content.substr(0, end) == component) {
      return true;
    }
    content.remove_prefix(end == std::string_view::npos ? content.size()
                                                        : end + 1);
  }
  return false;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOC_H_
