// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/key_pool.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cassandra_bloom::testing {

KeyPool::KeyPool(const PartitionLayout& layout, uint64_t scale, Draws draws) {
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
