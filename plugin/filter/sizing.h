// SPDX-License-Identifier: Apache-2.0

// Computes how large a filter is and how many bits a key sets.
//
// "Bits per key" is what Cassandra calls buckets per element, "probes" (k) its
// hash count. Every function here has a defined answer for every argument: also
// for NaN, infinities, zero, negative and huge ones.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cassandra_bloom {

// The largest numbers of buckets per element and of probes in Cassandra's
// tables of false positive rates. This library uses no more probes than that.
constexpr int kMaxBuckets = 20;
constexpr int kMaxProbes = 20;

// RocksDB's own upper limit for bits per key.
constexpr double kMaxBitsPerKey = 100;

// The rate of 20 buckets per element in Cassandra's table. Cassandra refuses to
// build a filter with a lower one.
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

// Follows RocksDB's rules: below 0.5, no filter (nullopt); 0.5 to 1 counts as
// 1; above 100 and NaN count as 100; other numbers are rounded to thousandths.
// Whole numbers from 1 to 20 give Cassandra's k
// (BloomCalculations.computeBloomSpec(buckets)), all others the k <= 20 with
// the lowest rate.
std::optional<Sizing> SizingForBitsPerKey(double bits_per_key);

// Cassandra's BloomCalculations.computeBloomSpec(20, fp_chance). Returns
// nullopt (no filter) at 1 and above. For NaN and below kMinFpChance, returns
// the result for kMinFpChance.
std::optional<Sizing> SizingForFpChance(double fp_chance);

// The expected false positive rate, (1 - e^(-k*n/m))^k.
double FalsePositiveRate(int num_probes, double num_keys, double capacity_bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
