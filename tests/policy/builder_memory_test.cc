// SPDX-License-Identifier: Apache-2.0

// Building a filter takes at most 16 bytes per key, plus the filter's size and
// 1 MB.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>

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

}  // namespace
}  // namespace cassandra_bloom::testing
