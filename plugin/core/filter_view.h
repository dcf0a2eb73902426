// Queries on the bits of a filter that somebody else keeps.

#ifndef CASSANDRA_BLOOM_PLUGIN_CORE_FILTER_VIEW_H_
#define CASSANDRA_BLOOM_PLUGIN_CORE_FILTER_VIEW_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "plugin/core/filter_db.h"
#include "plugin/core/invariant_remainder.h"
#include "plugin/core/murmur3.h"
#include "plugin/core/probes.h"

namespace cassandra_bloom {

// Safe for concurrent use; allocates nothing and throws nothing. The bits must
// outlive it.
class FilterView {
 public:
  // Keys that one call of MayContainBatch takes at most.
  static constexpr size_t kMaxBatch = 32;

  // `filter` as ParseFilterDb gives it.
  explicit FilterView(const FilterDb& filter)
      : bits_(filter.bits),
        num_probes_(filter.num_probes),
        capacity_bits_(filter.capacity_bits()) {}

  // False only if the key was certainly not added.
  bool MayContain(Hash128 hash) const {
    ProbeSequence probes(hash, capacity_bits_);
    int left = num_probes_;
    // An absent key needs two probes on average. The first ones together, with
    // no branch between them, leave one branch that seldom goes the other way.
    if (left >= kProbesAtOnce) {
      unsigned set = BitAt(probes.Next());
      for (int i = 1; i < kProbesAtOnce; ++i) {
        set &= BitAt(probes.Next());
      }
      if (set == 0) {
        return false;
      }
      left -= kProbesAtOnce;
    }
    return AllSet(probes, left);
  }

  // may_contain[i] = MayContain(hashes[i]) for n <= kMaxBatch keys, with the
  // cache misses of all keys under way together.
  void MayContainBatch(const Hash128* hashes, size_t n,
                       bool* may_contain) const {
    assert(n <= kMaxBatch);
    if (num_probes_ >= kProbesAtOnce) {
      TestBatch<kProbesAtOnce>(hashes, n, may_contain);
    } else {
      TestBatch<1>(hashes, n, may_contain);
    }
  }

 private:
  static constexpr int kProbesAtOnce = 3;

  unsigned BitAt(uint64_t position) const {
    return (static_cast<unsigned char>(bits_[position >> 3]) >>
            (position & 7)) &
           1;
  }

  // The first kFirst probes of all keys together, the rest key by key.
  template <int kFirst>
  void TestBatch(const Hash128* hashes, size_t n, bool* may_contain) const {
    // A copy: what is stored might alias the members, and have them read anew.
    const FilterView filter = *this;
    uint64_t positions[kMaxBatch][kFirst];
    for (size_t i = 0; i < n; ++i) {
      ProbeSequence probes(hashes[i], filter.capacity_bits_);
      for (int probe = 0; probe < kFirst; ++probe) {
        positions[i][probe] = probes.Next();
        __builtin_prefetch(filter.bits_ + (positions[i][probe] >> 3));
      }
    }
    for (size_t i = 0; i < n; ++i) {
      unsigned set = 1;
      for (int probe = 0; probe < kFirst; ++probe) {
        set &= filter.BitAt(positions[i][probe]);
      }
      may_contain[i] = set != 0 && filter.RestIsSet(hashes[i], kFirst);
    }
  }

  bool AllSet(ProbeSequence& probes, int count) const {
    for (; count > 0; --count) {
      if (BitAt(probes.Next()) == 0) {
        return false;
      }
    }
    return true;
  }

  bool RestIsSet(Hash128 hash, int already_probed) const {
    ProbeSequence probes(hash, capacity_bits_);
    probes.Skip(already_probed);
    return AllSet(probes, num_probes_ - already_probed);
  }

  const char* bits_;
  int num_probes_;
  InvariantRemainder capacity_bits_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_CORE_FILTER_VIEW_H_
