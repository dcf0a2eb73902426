// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_LOOKUPS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_LOOKUPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "db_bench_ext/filter_bench/bench_keys.h"
#include "db_bench_ext/filter_bench/filter_set.h"

namespace cassandra_bloom::bench {

// Mixed: half of the keys are absent.
enum class Asked { kAbsent, kPresent, kMixed };

// Asks filters for keys, a KeyChunk at a time. Each key, or each batch, goes to
// one of the filters, chosen at random.
class Lookups {
 public:
  // `batch`: the keys of a batch, at most KeyChunk::kCapacity. 0 means that
  // each key is asked alone, by the MayMatch for one key. Every object asks
  // other absent keys, and present keys in another order, so that the CPU's
  // branch predictor cannot learn them.
  Lookups(const FilterSet& filters, Asked asked, uint32_t batch);

  // The keys of one call of Ask: as many whole batches as fit into a KeyChunk.
  size_t keys() const { return count_; }

  // Returns the seconds that the calls of MayMatch took. Throws
  // std::runtime_error if a key was lost, because the times of a wrong filter
  // have no meaning.
  double Ask();

  uint64_t false_positives() const { return false_positives_; }

 private:
  void Choose();
  void AskAll();
  void Count();

  const FilterSet& filters_;
  const Asked asked_;
  const uint32_t batch_;
  const size_t group_;
  const size_t count_;
  KeyChunk keys_;
  std::array<ROCKSDB_NAMESPACE::FilterBitsReader*, KeyChunk::kCapacity>
      readers_;
  std::array<bool, KeyChunk::kCapacity> present_;
  std::array<bool, KeyChunk::kCapacity> answers_;
  std::mt19937_64 random_;
  uint64_t false_positives_ = 0;
};

// Counts the false positives of two million absent keys. Throws
// std::runtime_error if a filter does not find each of its keys, or if the rate
// is far above what is expected of its size.
void Check(FilterSet* filters);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_LOOKUPS_H_
