// SPDX-License-Identifier: Apache-2.0

// Records which keys each filter was given, and whether a filter denies a key
// that it was given. If rows are missing without such a denial, RocksDB asked a
// filter for a key that RocksDB had not added.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_

#include <rocksdb/options.h>

#include <string>

namespace cassandra_bloom::testing {

// Wraps the filter policy of `options`, if there is one, to record its filters.
void Watch(rocksdb::ColumnFamilyOptions* options);

// Says that filters are built whose keys are not recorded: by a policy that
// SetOptions has made, or in another process.
void FiltersAreMissed();

// False after FiltersAreMissed.
bool SawAllFilters();

// Describes the first key that a filter was given but denied. Only filters that
// our policy has built or reads count. Returns an empty string if no such key
// was denied.
std::string WrongDenial();

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WITNESS_H_
