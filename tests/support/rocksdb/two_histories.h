// SPDX-License-Identifier: Apache-2.0

// A database and a copy of it that went on by itself.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_

#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Makes an empty database into two, of two SST files each. The numbers of the
// files are the same. The first file is the same one, the second has other
// keys.
class TwoHistories {
 public:
  explicit TwoHistories(TestDb* db);

  // Puts the other database into the place of this one.
  void Swap();

 private:
  TestDb* const db_;
  const TempDir other_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TWO_HISTORIES_H_
