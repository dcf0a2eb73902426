// SPDX-License-Identifier: Apache-2.0

// Writes complete SSTables of any version. The test chooses the fault of the
// filter. All files have Cassandra's layouts, but the rows are filler.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_

#include <string>
#include <vector>

#include "tests/support/fake_sstable/fake_sstable_spec.h"

namespace cassandra_bloom::testing {

struct WrittenSstable {
  std::string prefix;             // The path of Data.db without "Data.db".
  std::vector<std::string> keys;  // In the SSTable's order.

  std::string Path(const std::string& component) const {
    return prefix + component;
  }
};

// Overwrites files of the same names. Throws if the SSTable cannot be written.
WrittenSstable WriteSstable(SstableSpec spec);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_
