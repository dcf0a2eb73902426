// SPDX-License-Identifier: Apache-2.0

// The work of a filter that is written more than once: plainly, and for vectors
// of one CPU or another. All kernels give the same answers and the same bits.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_

#include <cstddef>
#include <string_view>

#include "plugin/filter/filter_view.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// Keys that one call of Kernel::may_contain takes at most.
constexpr size_t kMaxBatch = 32;

using MayContainKeyFunction = bool(const FilterView& filter,
                                   std::string_view key);

struct Kernel {
  const char* name;

  // filter.MayContain of a key's hash. Only for filters with as many words and
  // probes as this one: these are looked at here, and not again for each key.
  MayContainKeyFunction* (*may_contain_key_of)(const FilterView& filter);

  // hashes[i] = CassandraMurmur3 of keys[i].
  void (*hash)(const std::string_view* keys, size_t n, Hash128* hashes);

  // may_contain[i] = filter.MayContain(hashes[i]) for n <= kMaxBatch keys, with
  // the cache misses of the first probes of all keys under way together.
  void (*may_contain)(const FilterView& filter, const Hash128* hashes, size_t n,
                      bool* may_contain);

  // Sets the bits of these keys in a filter of capacity_bits.divisor() bits, a
  // multiple of 64. Keys in hundreds are faster than one by one.
  void (*set_bits)(const Hash128* hashes, size_t n, int num_probes,
                   const InvariantRemainder& capacity_bits, char* bits);
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_KERNEL_H_
