// SPDX-License-Identifier: Apache-2.0

// Building a filter takes at most 16 bytes per key, plus the filter's size and
// 1 MB.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/memory_meter.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::Slice;

constexpr int64_t kBytesPerKey = 16;
constexpr int64_t kRest = 1 << 20;

class BuilderMemoryTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(BuilderMemoryTest, Peak) {
  const std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  std::unique_ptr<const char[]> block;
  size_t block_size = 0;
  const auto peak = bench::PeakBytes([&] {
    const auto builder = NewBuilder(*policy);
    for (uint64_t number = 0; number < GetParam(); ++number) {
      char key[sizeof(number)];
      std::memcpy(key, &number, sizeof(number));
      builder->AddKey(Slice(key, sizeof(key)));
    }
    block_size = builder->Finish(&block).size();
  });
  ASSERT_TRUE(peak);
  const auto num_keys = static_cast<int64_t>(GetParam());
  EXPECT_GT(block_size, num_keys * 10 / 8);
  EXPECT_LE(*peak,
            kBytesPerKey * num_keys + static_cast<int64_t>(block_size) + kRest);
  // A lower limit, too, shows that the meter works.
  EXPECT_GE(*peak, kBytesPerKey * num_keys + static_cast<int64_t>(block_size));
}

INSTANTIATE_TEST_SUITE_P(Keys, BuilderMemoryTest,
                         ::testing::Values(1, 10'000, 1'000'000, 20'000'000));

// The peak while the filters of an SST file are built, in partitions of this
// many keys. RocksDB keeps finished partitions until the file ends.
int64_t PeakOfFile(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                   uint64_t num_keys, uint64_t partition) {
  const auto peak = bench::PeakBytes([&] {
    const auto builder = NewBuilder(policy);
    std::vector<std::unique_ptr<const char[]>> blocks;
    for (uint64_t number = 0; number < num_keys; ++number) {
      char key[sizeof(number)];
      std::memcpy(key, &number, sizeof(number));
      builder->AddKey(Slice(key, sizeof(key)));
      if ((number + 1) % partition == 0) {
        builder->Finish(&blocks.emplace_back());
      }
    }
    builder->Finish(&blocks.emplace_back());
  });
  return peak.value_or(0);
}

// Prints the table of docs/policy.md; needs 18 GB of memory and some minutes:
//   build/dev/bin/builder_memory_test --gtest_also_run_disabled_tests
//     --gtest_filter=*Table
TEST(BuilderMemoryOfFilesTest, DISABLED_Table) {
  const std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> ours(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  const std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> rocksdbs(
      ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10));
  // RocksDB ends a partition of 4 KB at nine tenths of it.
  const uint64_t of_4_kb =
      NewBuilder(*rocksdbs)->ApproximateNumEntries(4096 * 9 / 10);
  for (const uint64_t num_keys : {10'000'000, 100'000'000, 1'000'000'000}) {
    const auto megabytes = [&](const auto& policy, uint64_t partition) {
      return static_cast<long long>(PeakOfFile(*policy, num_keys, partition) /
                                    1000000);
    };
    std::printf("| %llu million | %lld MB | %lld MB | %lld MB | %lld MB |\n",
                static_cast<unsigned long long>(num_keys / 1000000),
                megabytes(ours, UINT64_MAX), megabytes(rocksdbs, UINT64_MAX),
                megabytes(ours, of_4_kb), megabytes(rocksdbs, of_4_kb));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
