// SPDX-License-Identifier: Apache-2.0

// Computes how large a filter is and how many bits a key sets.
//
// "Bits per key" is what Cassandra calls buckets per element. "Probes" (k) is
// its hash count. Every function here has a defined result for every argument,
// even for NaN, infinities, zero, negative and huge numbers.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cassandra_bloom {

// The largest number of buckets per element in Cassandra's table of false
// positive rates. No filter of this library has more than kMaxProbes probes;
// Cassandra's table ends at 14.
constexpr int kMaxBuckets = 20;
constexpr int kMaxProbes = 20;

// RocksDB's own upper limit for bits per key.
constexpr double kMaxBitsPerKey = 100;

// The lowest rate in Cassandra's table, that of 20 buckets per element and 14
// probes. Cassandra refuses to build a filter with a lower rate.
constexpr double kMinFpChance = 6.71e-5;

struct Sizing {
  int32_t millibits_per_key = 0;  // 1000 ... 100000
  int num_probes = 0;             // 1 ... kMaxProbes

  double bits_per_key() const { return millibits_per_key / 1000.0; }

  // The number of 64-bit words of a filter for `num_keys` keys: enough for
  // num_keys * bits_per_key + 20 bits, at least 1, at most kMaxFilterWords.
  uint32_t NumWords(uint64_t num_keys) const;

  // The largest number of keys for which NumWords is at most `num_words`.
  uint64_t MaxKeys(uint32_t num_words) const;

  // Bytes of the whole filter, header and bits, for `num_keys` keys.
  size_t FilterSize(uint64_t num_keys) const;

  // The expected false positive rate of a filter of `size` bytes that holds
  // `num_keys` keys.
  double ExpectedRate(uint64_t num_keys, size_t size) const;
};

// Follows RocksDB's rules. For numbers below 0.5, returns nullopt (no filter).
// Numbers from 0.5 to 1 count as 1. NaN and numbers above 100 count as 100.
// Other numbers are rounded to thousandths.
//
// Whole numbers from 1 to 20 give the number of probes that Cassandra chooses
// (BloomCalculations.computeBloomSpec(buckets)). All other numbers give the
// number of probes, at most 20, with the lowest false positive rate.
std::optional<Sizing> SizingForBitsPerKey(double bits_per_key);

// The result of Cassandra's BloomCalculations.computeBloomSpec(20, fp_chance).
// For an fp_chance of 1 or more, returns nullopt (no filter). NaN and numbers
// below kMinFpChance count as kMinFpChance.
std::optional<Sizing> SizingForFpChance(double fp_chance);

// The expected false positive rate, (1 - e^(-k*n/m))^k, for k probes, n keys
// and m bits.
double FalsePositiveRate(int num_probes, double num_keys, double capacity_bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
