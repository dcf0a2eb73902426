// SPDX-License-Identifier: Apache-2.0

// Writes whole SSTables of any version, with a filter that may have a chosen
// fault. The layouts of the files are Cassandra's. Rows are filler. CRC.db is
// missing, because no test needs it.

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

// Overwrites files of the same names. Throws if a file cannot be written, or if
// the SSTable cannot be as `spec` says: for example, if every key that was left
// out of the filter matches by chance.
WrittenSstable WriteSstable(SstableSpec spec);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_H_
