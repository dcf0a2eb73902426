// SPDX-License-Identifier: Apache-2.0

// Chooses the numbers of words of filters so that their blocks fill the memory
// that an allocator gives for them: RocksDB's option
// optimize_filters_for_memory.
//
// jemalloc, for example, gives memory in size classes that are 14 to 25 %
// apart. A block between two classes takes the memory of the larger one, and
// RocksDB counts that memory in the block cache. Here such a filter is enlarged
// until it fills the larger class, or reduced to the smaller one. It is reduced
// whenever the mean false positive rate then still is at most the planned one.
// (RocksDB does much the same for its own filters: AllocateMaybeRounding in
// table/block_based/filter_policy.cc, 11.8.1.)
//
// Tested in tests/filter/memory_fit_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_MEMORY_FIT_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_MEMORY_FIT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom {

// How many bytes `new char[size]` gives: at least `size`. Asks the allocator of
// this process, as RocksDB does for the blocks in its cache. (A block cache
// with a `memory_allocator` has another one, which a policy does not know.)
// Throws nothing.
size_t UsableSize(size_t size);

// Serves all files of a policy, because the rate of one makes up for that of
// another. Safe for concurrent use.
class MemoryFit {
 public:
  // `usable_size`: UsableSize, or a stand-in for tests.
  explicit MemoryFit(size_t (*usable_size)(size_t) = UsableSize)
      : usable_size_(usable_size) {}

  // The number of words for a filter of `num_keys` keys, from 3/4 to 4/3 of
  // the planned number, and at most `max_words`. Planned is what
  // sizing.NumWords(num_keys) and `max_words` allow; a filter that cannot be
  // fitted has as many. The mean false positive rate of all filters with the
  // same bits per key and about the same number of keys is at most the planned
  // one. Throws nothing.
  uint32_t NumWords(const Sizing& sizing, uint64_t num_keys,
                    uint32_t max_words);

 private:
  // The most words in the memory that is given for a block of this many.
  uint32_t Fill(uint32_t num_words) const;
  // How many words fill a smaller size class. Searched for in steps of 1/16
  // down to 3/4 of `num_words`, so where classes are close together, as in
  // glibc, the result is not the next class but about 15/16. Returns
  // `num_words` if none of the steps takes less memory.
  uint32_t NextSmaller(uint32_t num_words) const;

  size_t (*const usable_size_)(size_t);
  std::mutex mutex_;
  // For each number of bits per key, in thousandths, and each power of two of
  // the number of words: the sum of what the rates of the filters so far are
  // above their planned rates. It is never above 0, and cut off at what one
  // filter of 3/4 of its size uses up. Sizes are kept apart because there are
  // many small files, and more look-ups in large ones: what small filters save
  // must not make large ones worse.
  std::map<std::pair<int32_t, int>, double> excess_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_MEMORY_FIT_H_
