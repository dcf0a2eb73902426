// SPDX-License-Identifier: Apache-2.0

// Computes the positions of the bits of a key. Adding keys and looking up keys
// both use ProbeSequence.
//
// The vector kernels have copies of ProbeSequence's rule:
// LaneKernel::PositionsOf in lane_kernel_inl.h, and PositionsOf in
// avx512_kernel.cc. The tests KernelTest.AnswersByEveryProbe and CheckLoneKeys
// compare all copies with a simple reference.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_PROBES_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_PROBES_H_

#include <cstdint>

#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// The position of probe i is abs((base + i * increment) % capacity), in Java's
// arithmetic of long (org.apache.cassandra.utils.BloomFilter.setIndexes). In
// Java the sum wraps, and the remainder has the sign of the dividend.
// ProbeSequence computes the same position without signed overflow, as the
// remainder of the dividend's unsigned magnitude.
//
// Here base is h2 of the key's hash, and increment is h1, as in SSTable
// versions `ma` and later. In earlier versions, base is h1 and increment is h2
// (CASSANDRA-8413).
class ProbeSequence {
 public:
  ProbeSequence(Hash128 hash, const InvariantRemainder& capacity_bits)
      : next_(hash.h2), increment_(hash.h1), capacity_bits_(capacity_bits) {}

  uint64_t Next() {
    const uint64_t position = capacity_bits_(Magnitude(next_));
    next_ += increment_;
    return position;
  }

  // Does the same as `count` calls of Next.
  void Skip(int count) { next_ += increment_ * static_cast<uint64_t>(count); }

 private:
  static uint64_t Magnitude(uint64_t x) {
    return static_cast<int64_t>(x) < 0 ? 0 - x : x;
  }

  uint64_t next_;
  uint64_t increment_;
  InvariantRemainder capacity_bits_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_PROBES_H_
