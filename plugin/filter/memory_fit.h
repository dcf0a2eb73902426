// SPDX-License-Identifier: Apache-2.0

// Chooses the numbers of words of filters so that their blocks fill the memory
// that an allocator gives for them: RocksDB's option
// optimize_filters_for_memory.
//
// jemalloc, for example, gives memory in size classes that are 14 to 25 %
// apart. A block between two classes takes the memory of the larger one, and
// RocksDB counts that memory in the block cache. Here such a block takes one of
// the two sizes in full: the larger one as long as that is needed to keep the
// mean false positive rate at the planned one, and else the smaller one.
// (RocksDB does the same for its own filters: AllocateMaybeRounding in
// table/block_based/filter_policy.cc.)
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

// Serves all files of a policy, so that their rates are balanced. Safe for
// concurrent use.
class MemoryFit {
 public:
  // `usable_size`: UsableSize, or a stand-in for tests.
  explicit MemoryFit(size_t (*usable_size)(size_t) = UsableSize)
      : usable_size_(usable_size) {}

  // The number of words for a filter of `num_keys` keys, from 3/4 to 4/3 of
  // sizing.NumWords(num_keys) and at most `max_words`. If a filter cannot be
  // fitted, it is that number itself. The mean false positive rate of all
  // filters with the same bits per key and about the same number of keys is at
  // most the planned one. Throws nothing.
  uint32_t NumWords(const Sizing& sizing, uint64_t num_keys,
                    uint32_t max_words);

 private:
  // The most words in the memory that is given for a block of this many.
  uint32_t Fill(uint32_t num_words) const;
  // The most words in less memory than `num_words` needs, but at least 3/4 of
  // them; `num_words` if the allocator has no such size.
  uint32_t NextSmaller(uint32_t num_words) const;

  size_t (*const usable_size_)(size_t);
  std::mutex mutex_;
  // For each number of bits per key, in thousandths, and each doubling of the
  // number of words: the sum of the differences between the rates of the
  // filters so far and their planned rates. Never above 0. Small files, which
  // are many, would otherwise save up for large ones, which more look-ups ask.
  std::map<std::pair<int32_t, int>, double> excess_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_MEMORY_FIT_H_
