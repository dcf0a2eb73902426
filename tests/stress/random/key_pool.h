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
// never written.
class KeyPool {
 public:
  // Draws keys of up to 150 * `scale` partitions.
  KeyPool(const PartitionLayout& layout, uint64_t scale, Draws draws);

  const std::vector<std::string>& all() const { return all_; }
  size_t shortest() const { return shortest_; }

  const std::string& Any(Draws* draws) const { return draws->In(all_); }
  const std::string& Written(Draws* draws) const { return draws->In(written_); }

 private:
  std::vector<std::string> all_;
  std::vector<std::string> written_;
  size_t shortest_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
