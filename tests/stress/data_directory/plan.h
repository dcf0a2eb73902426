// SPDX-License-Identifier: Apache-2.0

// The content of a large data directory, which depends only on the options.

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
  std::string folder;  // Folder of the table, in the data directory.
  // `spec.folder` and `spec.keys` are empty.
  SstableSpec spec;
  uint64_t num_keys;
  uint64_t key_seed;
  bool is_copied;  // Copied into snapshots/ and backups/.
};

// Plans a directory. The logarithms of the numbers of keys are spread evenly.
// Every fault is in at least three SSTables that have enough keys to show the
// fault. Throws std::invalid_argument if the options do not allow such a plan.
std::vector<PlannedSstable> PlanDirectory(const DirectoryOptions& options);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_PLAN_H_
