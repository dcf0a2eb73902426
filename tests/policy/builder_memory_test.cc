// SPDX-License-Identifier: Apache-2.0

// Building a filter must take at most 16 bytes per key, plus the filter, plus 1
// MB.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/allocations.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

constexpr int64_t kBytesPerKey = 16;
constexpr int64_t kRest = 1 << 20;

// Builds all filters of an SST file, with `partition` keys in each filter.
// Returns the peak memory in bytes. Keeps all finished filters, because RocksDB
// also keeps them until the SST file ends.
int64_t PeakOfFile(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                   uint64_t num_keys, uint64_t partition) {
  return PeakBytes([&] {
    const auto builder = NewBuilder(policy);
    std::vector<std::unique_ptr<const char[]>> blocks;
    for (uint64_t number = 0; number < num_keys; ++number) {
      char key[sizeof(number)];
      std::memcpy(key, &number, sizeof(number));
      builder->AddKey(rocksdb::Slice(key, sizeof(key)));
      if ((number + 1) % partition == 0) {
        builder->Finish(&blocks.emplace_back());
      }
    }
    builder->Finish(&blocks.emplace_back());
  });
}

// Expects the memory of a filter with all keys.
void ExpectPeakOfOneFilter(int64_t peak, uint64_t num_keys) {
  const auto keys = static_cast<int64_t>(num_keys);
  EXPECT_LE(peak, kBytesPerKey * keys + keys * 10 / 8 + kRest);
  // The lower limit shows that the measurement works.
  EXPECT_GE(peak, kBytesPerKey * keys + keys * 10 / 8);
}

TEST(BuilderMemoryTest, OneFilter) {
  const std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  for (const uint64_t num_keys : {1u, 10'000u, 20'000'000u}) {
    SCOPED_TRACE(num_keys);
    ExpectPeakOfOneFilter(PeakOfFile(*policy, num_keys, num_keys), num_keys);
  }
}

// Prints a row of the table in docs/policy.md.
TEST(BuilderMemoryTest, OnlyOnePartitionTakesMoreThanItsFilter) {
  const char* const wanted = std::getenv("CASSANDRA_BLOOM_BUILDER_KEYS");
  const uint64_t num_keys =
      wanted == nullptr ? 1'000'000 : std::strtoull(wanted, nullptr, 10);
  const std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> ours(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  const std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> rocksdbs(
      ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10));
  // RocksDB ends a partition of 4 KB when nine tenths of it are full.
  const uint64_t of_4_kb =
      NewBuilder(*rocksdbs)->ApproximateNumEntries(4096 * 9 / 10);
  const int64_t full = PeakOfFile(*ours, num_keys, num_keys);
  const int64_t full_rocksdbs = PeakOfFile(*rocksdbs, num_keys, num_keys);
  const int64_t parts = PeakOfFile(*ours, num_keys, of_4_kb);
  const int64_t parts_rocksdbs = PeakOfFile(*rocksdbs, num_keys, of_4_kb);
  const auto megabytes = [](int64_t bytes) {
    return static_cast<double>(bytes) / 1e6;
  };
  std::printf("| %llu | %.0f MB | %.0f MB | %.0f MB | %.0f MB |\n",
              static_cast<unsigned long long>(num_keys), megabytes(full),
              megabytes(full_rocksdbs), megabytes(parts),
              megabytes(parts_rocksdbs));
  const auto filters = static_cast<int64_t>(num_keys) * 10 / 8;
  ExpectPeakOfOneFilter(full, num_keys);
  EXPECT_GE(parts, filters);
  EXPECT_LE(parts, filters + filters / 50 + kRest);
}

}  // namespace
}  // namespace cassandra_bloom::testing
