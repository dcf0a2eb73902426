// SPDX-License-Identifier: Apache-2.0

// The functions of a filter that have several implementations, called kernels.
// One kernel is portable, the others are for CPUs with certain vector
// instructions. All kernels give the same answers and set the same bits.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_

#include <cstddef>
#include <string_view>

#include "plugin/filter/filter_view.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// The largest number of keys in one call of Lookup::batch.
constexpr size_t kMaxBatch = 32;

// Returns filter.MayContain(hash).
using MayContainFunction = bool(const FilterView& filter, Hash128 hash);

// Sets may_contain[i] = filter.MayContain(hashes[i]) for n <= kMaxBatch keys.
// Prefetches the first bits of all keys, so that the CPU loads them at the same
// time and not one after another.
using MayContainBatchFunction = void(const FilterView& filter,
                                     const Hash128* hashes, size_t n,
                                     bool* may_contain);

struct Lookup {
  MayContainFunction* one;
  MayContainBatchFunction* batch;
};

struct Kernel {
  const char* name;

  // Returns the look-up functions for filters with as many words and probes as
  // `filter`.
  Lookup (*choose_lookup)(const FilterView& filter);

  // Sets hashes[i] = CassandraMurmur3 of keys[i].
  void (*hash)(const std::string_view* keys, size_t n, Hash128* hashes);

  // Sets the bits of `n` keys in the filter `bits`, which has
  // capacity_bits.divisor() bits, a multiple of 64. A call with hundreds of
  // keys takes less time for each key than a call with one.
  void (*set_bits)(const Hash128* hashes, size_t n, int num_probes,
                   const InvariantRemainder& capacity_bits, char* bits);
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_
