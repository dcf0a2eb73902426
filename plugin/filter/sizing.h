// SPDX-License-Identifier: Apache-2.0

// Computes the size and the number of probes of a filter. Cassandra's name for
// bits per key is "buckets per element". Its name for the number of probes (k)
// is "hash count".
//
// Every function here has a defined result for every argument, even for NaN,
// infinity, zero, negative and huge numbers.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cassandra_bloom {

// kMaxBuckets is the largest number of buckets per element in Cassandra's table
// of false positive rates. kMaxProbes is the largest number of probes of this
// library's filters.
constexpr int kMaxBuckets = 20;
constexpr int kMaxProbes = 20;

// RocksDB's own upper limit for bits per key.
constexpr double kMaxBitsPerKey = 100;

// The lowest false positive rate in Cassandra's table. It is the rate of 20
// buckets per element and 14 probes. Cassandra refuses to build a filter with a
// lower rate.
constexpr double kMinFpChance = 6.71e-5;

struct Sizing {
  int32_t millibits_per_key = 0;  // 1000 to 100000.
  int num_probes = 0;             // 1 to kMaxProbes.

  double bits_per_key() const { return millibits_per_key / 1000.0; }

  // Returns the number of 64-bit words of a filter for `num_keys` keys. The
  // words have room for num_keys * bits_per_key + 20 bits. The result is at
  // least 1 and at most kMaxFilterWords.
  uint32_t NumWords(uint64_t num_keys) const;

  // Returns the largest number of keys for which NumWords is at most
  // `num_words`.
  uint64_t MaxKeys(uint32_t num_words) const;

  size_t FilterSize(uint64_t num_keys) const;

  // Returns the expected false positive rate of a filter. `size` is the size of
  // the filter with its header, in bytes.
  double ExpectedRate(uint64_t num_keys, size_t size) const;
};

// Returns the sizing for a number of bits per key, by RocksDB's rules. Numbers
// below 0.5 give nullopt, which means no filter. Numbers from 0.5 to 1 count as
// 1. NaN and numbers above 100 count as 100. Other numbers are rounded to
// thousandths.
//
// Whole numbers from 1 to 20 give the number of probes that Cassandra chooses
// (BloomCalculations.computeBloomSpec(buckets)). All other numbers give the
// number of probes, at most 20, that has the lowest false positive rate.
std::optional<Sizing> SizingForBitsPerKey(double bits_per_key);

// Returns the result of Cassandra's BloomCalculations.computeBloomSpec(20,
// fp_chance), where 20 is the largest number of buckets per element. An
// fp_chance of 1 or more gives nullopt, which means no filter. NaN and numbers
// below kMinFpChance count as kMinFpChance.
std::optional<Sizing> SizingForFpChance(double fp_chance);

// Returns the expected false positive rate of a filter: (1 - e^(-k*n/m))^k.
// Here k is num_probes, n is num_keys and m is capacity_bits.
double FalsePositiveRate(int num_probes, double num_keys, double capacity_bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_SIZING_H_
