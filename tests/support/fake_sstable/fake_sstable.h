// SPDX-License-Identifier: Apache-2.0

// Writes whole SSTables of any version, with a filter that may have a chosen
// fault. The files have the layouts of Cassandra's; rows are filler, and
// CRC.db, which no test needs, is left out.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_

#include <string>
#include <vector>

#include "tests/support/fake_sstable/fake_sstable_spec.h"

namespace cassandra_bloom::testing {

struct WrittenSstable {
  std::string prefix;  // The path of each component without its "Data.db".
  std::vector<std::string> keys;  // In the SSTable's order.

  std::string Path(const std::string& component) const {
    return prefix + component;
  }
};

// Files of the same names are overwritten. Throws if a file cannot be written,
// or if the SSTable cannot be as `spec` says: for example, because every key
// that was left out of the filter is found by chance.
WrittenSstable WriteSstable(SstableSpec spec);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_
