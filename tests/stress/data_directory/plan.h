// SPDX-License-Identifier: Apache-2.0

// What a large data directory for filterdb's tests has in it. A plan depends
// only on its options.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_PLAN_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/fake_sstable.h"

namespace cassandra_bloom::testing {

struct DirectoryOptions {
  size_t tables = 100;
  size_t sstables = 2000;
  uint64_t keys = 40000000;  // In all SSTables together.
  size_t key_bytes = 16;
  uint64_t seed = 1;
};

struct PlannedSstable {
  std::string folder;  // Of its table, relative to the data directory.
  // `spec.folder` and `spec.keys` are empty.
  SstableSpec spec;
  uint64_t num_keys;
  uint64_t key_seed;
  bool is_copied;  // Into snapshots/ and backups/.
};

// Sizes are spread widely: their logarithms are uniform. Versions take turns.
// Every fault is there at least three times, in SSTables that are large enough
// to show it, and most SSTables have none. Throws std::invalid_argument if the
// options do not allow such a plan.
std::vector<PlannedSstable> PlanDirectory(const DirectoryOptions& options);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_PLAN_H_
