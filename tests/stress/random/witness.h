// SPDX-License-Identifier: Apache-2.0

// Knows which keys each filter of ours was given, and whether it denies one.
//
// A filter can hide a row in no other way: RocksDB has asked a filter for
// something that it was not given if rows are missing and none denies a key.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_

#include <rocksdb/options.h>

#include <string>

namespace cassandra_bloom::testing {

// Puts a witness between RocksDB and the filter policy, if that is ours.
void Watch(rocksdb::ColumnFamilyOptions* options);

// The first key that a filter in this process denied although it was given it,
// or nothing.
std::string WrongDenial();

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
