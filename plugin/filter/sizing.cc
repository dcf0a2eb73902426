// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/sizing.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom {
namespace {

// The number of bits that Cassandra adds to every filter
// (FilterFactory.BITSET_EXCESS).
constexpr uint64_t kExcessBits = 20;

// Returns the false positive rate in Cassandra's table BloomCalculations.probs.
// The table is that of Fan, Cao, Almeida and Broder ("Summary Cache", 1998).
// Its rates are those of FalsePositiveRate, rounded to three significant
// digits. The rate for 5 buckets and 3 probes is the only exception: it is
// rounded to two digits.
double CassandraRate(int buckets, int num_probes) {
  if (buckets == 5 && num_probes == 3) {
    return 0.092;
  }
  const double exact = FalsePositiveRate(num_probes, 1, buckets);
  char digits[32];
  const char* const end =
      std::to_chars(digits, digits + sizeof(digits), exact,
                    std::chars_format::scientific, /*precision=*/2)
          .ptr;
  double rounded = exact;
  std::from_chars(digits, end, rounded);
  return rounded;
}

// Returns the number of probes for which `rate` is lowest. If several numbers
// have this lowest rate, returns the smallest one. `rate` is a function of the
// number of probes.
template <typename Rate>
int BestNumProbes(Rate rate) {
  int best = 1;
  for (int num_probes = 2; num_probes <= kMaxProbes; ++num_probes) {
    if (rate(num_probes) < rate(best)) {
      best = num_probes;
    }
  }
  return best;
}

int CassandraNumProbes(int buckets) {
  return BestNumProbes(
      [buckets](int num_probes) { return CassandraRate(buckets, num_probes); });
}

Sizing ForBuckets(int buckets, int num_probes) {
  return {1000 * buckets, num_probes};
}

}  // namespace

uint32_t Sizing::NumWords(uint64_t num_keys) const {
  const auto millibits = static_cast<uint64_t>(millibits_per_key);
  if (num_keys > MaxKeys(kMaxFilterWords)) {
    return kMaxFilterWords;
  }
  const uint64_t key_bits = (num_keys * millibits + 999) / 1000;
  return static_cast<uint32_t>((key_bits + kExcessBits + 63) / 64);
}

uint64_t Sizing::MaxKeys(uint32_t num_words) const {
  if (num_words == 0) {
    return 0;
  }
  const uint64_t key_bits = uint64_t{64} * num_words - kExcessBits;
  return key_bits * 1000 / static_cast<uint64_t>(millibits_per_key);
}

size_t Sizing::FilterSize(uint64_t num_keys) const {
  return FilterDbSize(NumWords(num_keys));
}

double Sizing::ExpectedRate(uint64_t num_keys, size_t size) const {
  return FalsePositiveRate(num_probes, static_cast<double>(num_keys),
                           64.0 * FilterWordsWithin(size));
}

std::optional<Sizing> SizingForBitsPerKey(double bits_per_key) {
  if (bits_per_key < 0.5) {
    return std::nullopt;
  }
  int32_t millibits = static_cast<int32_t>(1000 * kMaxBitsPerKey);
  if (bits_per_key < kMaxBitsPerKey) {  // False for NaN.
    millibits =
        std::max(1000, static_cast<int32_t>(std::lround(bits_per_key * 1000)));
  }
  if (millibits % 1000 == 0 && millibits <= 1000 * kMaxBuckets) {
    const int buckets = millibits / 1000;
    return ForBuckets(buckets, CassandraNumProbes(buckets));
  }
  return Sizing{millibits, BestNumProbes([millibits](int num_probes) {
                  return FalsePositiveRate(num_probes, 1, millibits / 1000.0);
                })};
}

std::optional<Sizing> SizingForFpChance(double fp_chance) {
  if (fp_chance >= 1) {
    return std::nullopt;
  }
  if (fp_chance >= CassandraRate(2, 1)) {
    // For such a high fp_chance, Cassandra means two buckets and one probe. But
    // it passes the arguments of BloomSpecification in the wrong order. So
    // Cassandra's filter has one bucket per element and two probes.
    return ForBuckets(1, 2);
  }
  if (!(fp_chance >= kMinFpChance)) {
    fp_chance = kMinFpChance;
  }
  int buckets = 2;
  int num_probes = CassandraNumProbes(buckets);
  while (buckets < kMaxBuckets &&
         CassandraRate(buckets, num_probes) > fp_chance) {
    num_probes = CassandraNumProbes(++buckets);
  }
  while (num_probes > 1 &&
         CassandraRate(buckets, num_probes - 1) <= fp_chance) {
    --num_probes;
  }
  return ForBuckets(buckets, num_probes);
}

double FalsePositiveRate(int num_probes, double num_keys,
                         double capacity_bits) {
  if (!(num_keys > 0) || num_probes < 1) {
    return num_probes < 1 ? 1 : 0;
  }
  if (!(capacity_bits > 0)) {
    return 1;
  }
  return std::pow(-std::expm1(-num_probes * num_keys / capacity_bits),
                  num_probes);
}

}  // namespace cassandra_bloom
