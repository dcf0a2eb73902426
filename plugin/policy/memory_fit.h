// SPDX-License-Identifier: Apache-2.0

// Chooses the sizes of filters for RocksDB's option
// optimize_filters_for_memory.
//
// Allocators give memory in size classes. In jemalloc, for example, the classes
// are 14 to 25 % apart. A filter between two classes is enlarged until it fills
// the larger class, or reduced to the smaller class. It is reduced only if the
// mean false positive rate of all filters of similar size is then at most the
// planned rate. RocksDB does much the same for its own filters
// (AllocateMaybeRounding in table/block_based/filter_policy.cc, 11.8.1).
//
// Tested in tests/policy/memory_fit_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_MEMORY_FIT_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_MEMORY_FIT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom {

// Returns how many bytes the allocator of this process gives for `new
// char[size]`, at least `size`. Throws nothing.
size_t UsableSize(size_t size);

// Serves all filters of a policy, because enlarged filters compensate for
// reduced ones. Safe for concurrent use.
class MemoryFit {
 public:
  explicit MemoryFit(size_t (*usable_size)(size_t) = UsableSize)
      : usable_size_(usable_size) {}

  // Returns the number of 64-bit words for a filter of `num_keys` keys. The
  // planned number is sizing.NumWords(num_keys), but at most `max_words`. The
  // result is 3/4 to 4/3 of the planned number, and at most `max_words`. Throws
  // nothing.
  uint32_t NumWords(const Sizing& sizing, uint64_t num_keys,
                    uint32_t max_words);

 private:
  uint32_t Fill(uint32_t num_words) const;
  // Returns a smaller number of words, at least 3/4 of `num_words`. A filter of
  // that size fills the memory that the allocator gives for it. Returns
  // `num_words` if there is no such number.
  uint32_t NextSmaller(uint32_t num_words) const;

  size_t (*const usable_size_)(size_t);
  std::mutex mutex_;
  // The sum of (false positive rate - planned rate) over all filters so far,
  // never above 0. The key is the bits per key in thousandths, and the
  // logarithm to base 2 of the number of words, rounded down.
  //
  // Large filters have their own sum, because most look-ups query large
  // filters, although most files are small. If small filters and large filters
  // had the same sum, savings in small filters would make large filters worse.
  std::map<std::pair<int32_t, int>, double> excess_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_MEMORY_FIT_H_
