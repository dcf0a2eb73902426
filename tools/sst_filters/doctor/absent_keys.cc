// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/absent_keys.h"

#include <string_view>

namespace cassandra_bloom::tools {

std::vector<std::string> AbsentKeys(
    const std::string& smallest, const std::string& largest,
    const ROCKSDB_NAMESPACE::Comparator& comparator,
    const ROCKSDB_NAMESPACE::SliceTransform* extractor) {
  constexpr size_t kLongest = 256;
  constexpr std::string_view kStrange[] = {{"\0\xa5\x5a\0\xc3\x3c\x96", 7},
                                           {"\0\x69\0\x78\x87\xe1\x1e", 7},
                                           {"\0\0\xb4\x4b\xd2\x2d\xf0", 7}};
  std::vector<std::string> absent;
  // In reverse order, a longer key comes before the key that it begins with. So
  // only keys made from the last one are in the range.
  for (const std::string& present : {smallest, largest}) {
    for (const std::string_view strange : kStrange) {
      std::string key = present;
      while (extractor != nullptr && !extractor->InDomain(key) &&
             key.size() < kLongest) {
        key.push_back('\0');
      }
      key.append(strange);
      if (comparator.Compare(smallest, key) < 0 &&
          comparator.Compare(key, largest) < 0 &&
          (extractor == nullptr || extractor->InDomain(key))) {
        absent.push_back(key);
      }
    }
  }
  return absent;
}

}  // namespace cassandra_bloom::tools
