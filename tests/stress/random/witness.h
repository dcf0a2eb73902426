// SPDX-License-Identifier: Apache-2.0

// Records which keys each cassandra_bloom filter was given, and whether it
// denies one of them.
//
// A filter can hide a row in no other way. If rows are missing without such a
// denial, RocksDB asked a filter for something that it had not added.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_

#include <rocksdb/options.h>

#include <string>

namespace cassandra_bloom::testing {

// Puts a witness between RocksDB and the policy, if it is a cassandra_bloom
// one.
void Watch(rocksdb::ColumnFamilyOptions* options);

// The first key that a filter in this process denied after it was given the
// key; empty if there is none.
std::string WrongDenial();

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
