// SPDX-License-Identifier: Apache-2.0

// Tests that a large filter has all its keys, and the false positive rate.
//
// CASSANDRA_BLOOM_LARGE_KEYS=300000000 makes a filter of 300 million keys
// instead of one million. It has more than 2^31 bits, whose positions do not
// fit into an int32. This takes 18 bytes of memory per key, and minutes.

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/sizing.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

constexpr uint64_t kSample = 10'000'000;
constexpr uint64_t kBatch = 50;

std::string PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, 6, "VmHWM:") == 0) {
      return line.substr(6);
    }
  }
  return " unknown";
}

uint64_t CountMatches(FilterBitsReader* reader, uint64_t first,
                      uint64_t num_keys) {
  uint64_t random = Seed() + first;
  uint64_t matches = 0;
  for (uint64_t done = 0; done < kSample; done += kBatch) {
    uint64_t numbers[kBatch];
    Slice slices[kBatch];
    Slice* pointers[kBatch];
    bool may_match[kBatch];
    for (uint64_t i = 0; i < kBatch; ++i) {
      numbers[i] = first + NextRandom(&random) % num_keys;
      slices[i] = Slice(reinterpret_cast<const char*>(&numbers[i]), 8);
      pointers[i] = &slices[i];
    }
    reader->MayMatch(static_cast<int>(kBatch), pointers, may_match);
    EXPECT_EQ(reader->MayMatch(slices[0]), may_match[0]);
    for (const bool match : may_match) {
      matches += match;
    }
  }
  return matches;
}

TEST(LargeFilterTest, HasAllItsKeysAndTheExpectedRate) {
  const char* const given = std::getenv("CASSANDRA_BLOOM_LARGE_KEYS");
  const uint64_t num_keys =
      given == nullptr ? 1'000'000 : std::strtoull(given, nullptr, 10);
  const std::unique_ptr<const FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  std::unique_ptr<const char[]> buffer;
  Slice block;
  {
    const auto builder = NewBuilder(*policy);
    for (uint64_t number = 0; number < num_keys; ++number) {
      builder->AddKey(Slice(reinterpret_cast<const char*>(&number), 8));
    }
    ASSERT_EQ(builder->EstimateEntriesAdded(), num_keys);
    block = builder->Finish(&buffer);
  }
  ParsedFilter filter;
  ASSERT_TRUE(ParseFilterDb(block.data(), block.size(), &filter));
  EXPECT_EQ(filter.num_words, SizingForBitsPerKey(10)->NumWords(num_keys));

  const auto reader = NewReader(*policy, block);
  const uint64_t present = CountMatches(reader.get(), 0, num_keys);
  const uint64_t absent = CountMatches(reader.get(), num_keys, num_keys);
  const double expected =
      FalsePositiveRate(filter.num_probes, static_cast<double>(num_keys),
                        static_cast<double>(filter.capacity_bits()));
  std::printf("%" PRIu64 " keys, %" PRIu64 " bits: %" PRIu64 " of %" PRIu64
              " present keys match, and %.4f %% of absent ones (%.4f %% "
              "expected); peak of memory:%s\n",
              num_keys, filter.capacity_bits(), present, kSample,
              100 * static_cast<double>(absent) / kSample, 100 * expected,
              PeakMemory().c_str());
  EXPECT_EQ(present, kSample);
  EXPECT_NEAR(static_cast<double>(absent) / kSample / expected, 1, 0.05);
}

}  // namespace
}  // namespace cassandra_bloom::testing
