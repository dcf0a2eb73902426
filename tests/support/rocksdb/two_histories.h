// SPDX-License-Identifier: Apache-2.0

// A database and a copy of it that was then written to on its own.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_

#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Writes to an empty database and makes a second one from it. Each has two SST
// files, with the same numbers in both databases. The first file is the same in
// both. The second file has other keys.
class TwoHistories {
 public:
  explicit TwoHistories(TestDb* db);

  // Exchanges the two databases: `db` becomes the other one.
  void Swap();

 private:
  TestDb* const db_;
  const TempDir other_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
