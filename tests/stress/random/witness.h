// SPDX-License-Identifier: Apache-2.0

// Records which keys each filter was given, and whether it denies one of them.
// RocksDB's own filters are among them, because our policy may read those, and
// RocksDB's policies may read ours.
//
// A filter can hide a row in no other way. If rows are missing without such a
// denial, RocksDB asked a filter for a key that RocksDB had not added.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_

#include <rocksdb/options.h>

#include <string>

namespace cassandra_bloom::testing {

// Puts a witness between RocksDB and the policy, if there is one.
void Watch(rocksdb::ColumnFamilyOptions* options);

// Describes the first key that a filter of this process was given but denied,
// where our policy has built or reads the filter. Returns an empty string if
// there is none.
std::string WrongDenial();

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
