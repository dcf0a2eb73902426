// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_

#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Two databases, each with two SST files. Both databases give their SST files
// the same numbers. The first SST files are equal, but the second SST files
// have different keys.
class TwoHistories {
 public:
  explicit TwoHistories(TestDb* db);

  // Exchanges the folders of the two databases. The TestDb then has the other
  // database open.
  void Swap();

 private:
  TestDb* const db_;
  const TempDir other_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
