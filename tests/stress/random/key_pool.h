// SPDX-License-Identifier: Apache-2.0

// The keys of a column family.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/stress/random/draws.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

// Rows of partitions, and a few keys that are cut off and so have not the
// layout that partition key and prefix are looked for in. Some are never
// written, whole partitions among them, and some are for SingleDelete alone,
// which RocksDB does not let one mix with other deletes.
class KeyPool {
 public:
  KeyPool(const PartitionLayout& layout, bool has_single_deletes, Draws draws);

  // All of them, in no order.
  const std::vector<std::string>& all() const { return all_; }
  size_t shortest() const { return shortest_; }

  const std::string& Any(Draws* draws) const { return draws->In(all_); }
  const std::string& Written(Draws* draws) const { return draws->In(written_); }
  bool has_single() const { return !single_.empty(); }
  const std::string& Single(Draws* draws) const { return draws->In(single_); }

 private:
  std::vector<std::string> all_;
  std::vector<std::string> written_;  // Not those for SingleDelete.
  std::vector<std::string> single_;
  size_t shortest_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
