// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_

#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Two databases with two SST files each, which have the same numbers. The first
// SST files are equal, and the second ones have different keys.
class TwoHistories {
 public:
  explicit TwoHistories(TestDb* db);

  // Exchanges the two databases. The TestDb then opens the other one.
  void Swap();

 private:
  TestDb* const db_;
  const TempDir other_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
