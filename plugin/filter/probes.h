// SPDX-License-Identifier: Apache-2.0

// Computes where the bits of a key are. Adding and querying both use
// ProbeSequence. The vector kernels have copies of its rule:
// LaneKernel::PositionsOf, and PositionsOf of the AVX-512 kernel.
// KernelTest.AnswersByEveryProbe and LoneKeyCheck compare all of them with one
// plain reference.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_PROBES_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_PROBES_H_

#include <cstdint>

#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// Position i is abs((base + i * increment) % capacity) in Java's long
// arithmetic (org.apache.cassandra.utils.BloomFilter.setIndexes), in which the
// sum wraps and the remainder has the sign of the dividend. This class computes
// the same number without signed overflow, as the remainder of the dividend's
// unsigned magnitude.
//
// base is h2 and increment is h1, as in SSTable versions `ma` and later. In
// earlier versions, base is h1 and increment is h2 (CASSANDRA-8413).
class ProbeSequence {
 public:
  ProbeSequence(Hash128 hash, const InvariantRemainder& capacity_bits)
      : next_(hash.h2), increment_(hash.h1), capacity_bits_(capacity_bits) {}

  uint64_t Next() {
    const uint64_t position = capacity_bits_(Magnitude(next_));
    next_ += increment_;
    return position;
  }

  // The same as `count` calls of Next.
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
