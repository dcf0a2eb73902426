// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
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

inline KeyPool::KeyPool(const PartitionLayout& layout, uint64_t scale,
                        Draws draws) {
  const uint64_t num_partitions = scale * draws.Of<uint64_t>({4, 20, 60, 150});
  const uint64_t num_rows = draws.Of<uint64_t>({1, 3, 8});
  const bool has_cut_keys = draws.OneIn(2);
  const uint64_t first = draws.Below(1000000);
  std::set<std::string> seen;
  for (uint64_t i = 0; i < num_partitions * num_rows; ++i) {
    const uint64_t partition = i / num_rows;
    std::string key = StorageKey(layout, first + partition, i % num_rows);
    if (has_cut_keys && draws.OneIn(12)) {
      key.resize(draws.Below(key.size()));
    }
    if (!seen.insert(key).second) {
      continue;
    }
    all_.push_back(key);
    const bool is_absent = partition % 4 == 3 || draws.OneIn(5);
    if (!is_absent) {
      written_.push_back(key);
    }
  }
  if (written_.empty()) {
    written_.push_back(all_[0]);
  }
  shortest_ = seen.begin()->size();
  for (const std::string& key : seen) {
    shortest_ = std::min(shortest_, key.size());
  }
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_KEY_POOL_H_
