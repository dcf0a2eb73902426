// SPDX-License-Identifier: Apache-2.0

// How large a filter is and how many bits a key sets.
//
// "Bits per key" is what Cassandra calls buckets per element, "probes" (k) its
// hash count. Every function here is total: NaN, infinities, zero, negative
// and huge arguments have a defined answer.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cassandra_bloom {

// Cassandra's tables end here, and so do the probes that we write.
constexpr int kMaxBuckets = 20;
constexpr int kMaxProbes = 20;

// RocksDB's own upper limit for bits per key.
constexpr double kMaxBitsPerKey = 100;

// What 20 buckets reach, by Cassandra's table; it refuses to build below.
constexpr double kMinFpChance = 6.71e-5;

struct Sizing {
  int32_t millibits_per_key = 0;  // 1000 ... 100000
  int num_probes = 0;             // 1 ... kMaxProbes

  double bits_per_key() const { return millibits_per_key / 1000.0; }

  // 64-bit words of a filter for `num_keys` keys: enough for
  // num_keys * bits_per_key + 20 bits, at least 1, at most kMaxFilterWords.
  uint32_t NumWords(uint64_t num_keys) const;

  // The most keys for which NumWords is at most `num_words`.
  uint64_t MaxKeys(uint32_t num_words) const;

  // Bytes of the whole filter, header and bits, for `num_keys` keys.
  size_t FilterSize(uint64_t num_keys) const;

  // Expected rate of false positives of a filter of `size` bytes that holds
  // `num_keys` keys.
  double ExpectedRate(uint64_t num_keys, size_t size) const;
};

// RocksDB's rules: below 0.5 (or negative) no filter, up to 1 rounded up to 1,
// above 100 and NaN taken as 100, thousandths kept. Whole numbers from 1 to 20
// give Cassandra's k (BloomCalculations.computeBloomSpec(buckets)), all others
// the k <= 20 with the lowest rate.
std::optional<Sizing> SizingForBitsPerKey(double bits_per_key);

// Cassandra's BloomCalculations.computeBloomSpec(20, fp_chance). No filter for
// 1 and above; below kMinFpChance and for NaN as for kMinFpChance.
std::optional<Sizing> SizingForFpChance(double fp_chance);

// Expected rate of false positives, (1 - e^(-k*n/m))^k.
double FalsePositiveRate(int num_probes, double num_keys, double capacity_bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
