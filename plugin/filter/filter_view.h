// SPDX-License-Identifier: Apache-2.0

// Queries a filter whose bits are owned elsewhere.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_FILTER_VIEW_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_FILTER_VIEW_H_

#include <cstdint>

#include "plugin/filter/block_layout.h"
#include "plugin/filter/endian.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/probes.h"

namespace cassandra_bloom {

// Safe for concurrent use; allocates nothing and throws nothing. The bits must
// outlive the view.
class FilterView {
 public:
  // With half of the bits set, an absent key needs two probes on average. Three
  // probes are tested without a branch between them. Then one absent key in
  // eight passes, so the branch after them is predictable.
  static constexpr int kProbesAtOnce = 3;

  // `filter`: as ParseFilterDb sets it.
  explicit FilterView(const FilterDb& filter)
      : bits_(filter.bits),
        num_probes_(filter.num_probes),
        capacity_bits_(filter.capacity_bits()),
        words_reciprocal_(SmallReciprocal(num_words())) {}

  const char* bits() const { return bits_; }
  int num_probes() const { return num_probes_; }
  const InvariantRemainder& capacity_bits() const { return capacity_bits_; }
  uint64_t num_words() const { return capacity_bits_.divisor() / 64; }
  // SmallReciprocal of num_words, computed once so that queries need no
  // division.
  double words_reciprocal() const { return words_reciprocal_; }

  // False only if the key was certainly not added.
  bool MayContain(Hash128 hash) const {
    ProbeSequence probes(hash, capacity_bits_);
    if (num_probes_ < kProbesAtOnce) {
      return AllSet(probes, num_probes_);
    }
    return NextAtOnceSet(probes) && AllSet(probes, num_probes_ - kProbesAtOnce);
  }

  // Tests the next kProbesAtOnce probes. True if all their bits are set.
  bool NextAtOnceSet(ProbeSequence& probes) const {
    unsigned set = BitAt(probes.Next());
    for (int i = 1; i < kProbesAtOnce; ++i) {
      set &= BitAt(probes.Next());
    }
    return set != 0;
  }

  // Like MayContain, for a key whose first `num_probed` bits are known to be
  // set.
  bool MayContainAfter(int num_probed, Hash128 hash) const {
    ProbeSequence probes(hash, capacity_bits_);
    probes.Skip(num_probed);
    return AllSet(probes, num_probes_ - num_probed);
  }

  // The bit at this position, 0 or 1.
  unsigned BitAt(uint64_t position) const {
    const uint64_t word = LoadLittleEndian64(bits_ + (position >> 6) * 8);
    return static_cast<unsigned>(word >> (position & 63)) & 1;
  }

  void Prefetch(uint64_t position) const {
    __builtin_prefetch(bits_ + (position >> 3));
  }

 private:
  bool AllSet(ProbeSequence& probes, int count) const {
    for (; count > 0; --count) {
      if (BitAt(probes.Next()) == 0) {
        return false;
      }
    }
    return true;
  }

  const char* bits_;
  int num_probes_;
  InvariantRemainder capacity_bits_;
  double words_reciprocal_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_FILTER_VIEW_H_
