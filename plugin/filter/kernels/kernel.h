// SPDX-License-Identifier: Apache-2.0

// The functions of a filter that have several implementations, called kernels:
// a portable one, and others for CPUs with certain vector instructions. All
// kernels give the same answers and set the same bits.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_

#include <cstddef>
#include <string_view>

#include "plugin/filter/filter_view.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// The maximum number of keys in one call of Lookup::batch.
constexpr size_t kMaxBatch = 32;

// Returns filter.MayContain(hash).
using MayContainFunction = bool(const FilterView& filter, Hash128 hash);

// Sets may_contain[i] = filter.MayContain(hashes[i]) for n <= kMaxBatch keys.
// The cache misses of the first probes of all keys overlap.
using MayContainBatchFunction = void(const FilterView& filter,
                                     const Hash128* hashes, size_t n,
                                     bool* may_contain);

// How one kernel looks up keys in filters with a certain number of words and a
// certain number of probes.
struct Lookup {
  MayContainFunction* one;
  MayContainBatchFunction* batch;
};

struct Kernel {
  const char* name;

  // Chooses the functions for `filter`. They may also be used for other filters
  // with the same number of words and the same number of probes.
  Lookup (*choose_lookup)(const FilterView& filter);

  // Sets hashes[i] = CassandraMurmur3 of keys[i].
  void (*hash)(const std::string_view* keys, size_t n, Hash128* hashes);

  // Sets the bits of these keys in a filter of capacity_bits.divisor() bits, a
  // multiple of 64. A call with hundreds of keys takes less time for each key
  // than a call with one.
  void (*set_bits)(const Hash128* hashes, size_t n, int num_probes,
                   const InvariantRemainder& capacity_bits, char* bits);
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_
