// SPDX-License-Identifier: Apache-2.0

// Compares what `sst_filters doctor` says of a database with what RocksDB
// counts.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DOCTOR_CHECK_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DOCTOR_CHECK_H_

#include <string>

#include "tests/stress/random/database.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/writes.h"

namespace cassandra_bloom::testing {

// Looks up keys in `db`, which is the database in the folder `path`, opened
// read-only. Throws a Failure if RocksDB asks filters of a level of which
// doctor says that none is asked, or if doctor finds no reason why a filter is
// not used.
void CheckDoctor(const std::string& path, const Database& db,
                 const Written& written, Draws* draws);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DOCTOR_CHECK_H_
