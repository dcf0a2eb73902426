// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/stress/random/draws.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

// The keys of a column family. Some keys, and all keys of some partitions, are
// never written. Some keys are for SingleDelete only, because RocksDB allows no
// other deletes of such keys.
class KeyPool {
 public:
  // Draws keys of up to 150 * `scale` partitions.
  KeyPool(const PartitionLayout& layout, bool has_single_deletes,
          uint64_t scale, Draws draws);

  const std::vector<std::string>& all() const { return all_; }
  size_t shortest() const { return shortest_; }

  const std::string& Any(Draws* draws) const { return draws->In(all_); }
  const std::string& Written(Draws* draws) const { return draws->In(written_); }
  bool has_single() const { return !single_.empty(); }
  const std::string& Single(Draws* draws) const { return draws->In(single_); }

 private:
  std::vector<std::string> all_;
  std::vector<std::string> written_;  // Not for SingleDelete.
  std::vector<std::string> single_;
  size_t shortest_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
