// SPDX-License-Identifier: Apache-2.0

// Reads a database in every way, and compares the rows with a model in memory.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CHECKS_H_

#include <rocksdb/db.h>

#include <cstdint>

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/database.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/writes.h"

namespace cassandra_bloom::testing {

struct View {
  const Configuration* configuration;
  const Database* db;
  const Written* written;
  const rocksdb::Snapshot* snapshot;  // May be null.
  uint64_t at;
};

// Both throw a Failure if a row is wrong or a read fails, and count what they
// check in `*count`.

// Reads a few keys in one way that is chosen at random.
void CheckSome(const View& view, Draws* draws, uint64_t* count);
// Makes every kind of point read for every key, scans all rows, and seeks.
void CheckAll(const View& view, Draws* draws, uint64_t* count);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CHECKS_H_
