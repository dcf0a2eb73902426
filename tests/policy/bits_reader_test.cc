// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/bits_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/filter_db_layout.h"
#include "tests/support/broken_filters.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

TEST(BitsReaderTest, BatchesOfAnySizeEqualSingleKeys) {
  SCOPED_TRACE(Seed());
  const RandomKeys keys(Seed(), 40);
  for (const double bits : {1.0, 3.0, 10.0, 16.0, 100.0}) {
    const std::unique_ptr<const FilterPolicy> policy(
        ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(bits));
    const auto builder = NewBuilder(*policy);
    for (uint64_t i = 0; i < 1000; i += 2) {
      builder->AddKey(keys[i]);
    }
    const std::string block = FinishBlock(builder.get());
    const auto reader = NewReader(*policy, block);
    for (size_t size = 0; size <= 200; ++size) {
      std::vector<std::string> batch;
      for (size_t i = 0; i < size; ++i) {
        batch.push_back(keys[size + i]);
      }
      const std::vector<bool> answers = MayMatchBatch(reader.get(), batch);
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(answers[i], reader->MayMatch(batch[i]));
        ASSERT_TRUE(answers[i] || (size + i) % 2 == 1) << "false negative";
      }
    }
  }
}

// All bits of these blocks are zero. A reader that used such a block as a
// filter would match nothing.
TEST(BitsReaderTest, BrokenBlocksMatchEverything) {
  const std::unique_ptr<const FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  for (const BrokenFilter& broken : kBrokenFilters) {
    SCOPED_TRACE(broken.what);
    const std::vector<char> block = broken.Block();
    const auto reader = NewReader(*policy, Slice(block.data(), block.size()));
    EXPECT_TRUE(reader->MayMatch("key"));
    EXPECT_TRUE(reader->MayMatch(""));
    const std::vector<std::string> keys(100, "key");
    EXPECT_EQ(MayMatchBatch(reader.get(), keys), std::vector<bool>(100, true));
  }
}

TEST(BitsReaderTest, AWellFormedBlockOfZerosMatchesNothing) {
  const std::unique_ptr<const FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
  std::vector<char> block(FilterDbSize(2));
  for (const int num_probes : {1, 7, 21}) {
    WriteFilterDbHeader(num_probes, 2, block.data());
    const auto reader = NewReader(*policy, Slice(block.data(), block.size()));
    EXPECT_FALSE(reader->MayMatch("key"));
  }
}

// A block contains its number of probes and its size. So a policy with other
// bits per key can read the block.
TEST(BitsReaderTest, ReadsFiltersOfOtherBitsPerKey) {
  const std::unique_ptr<const FilterPolicy> writer(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(20));
  const std::unique_ptr<const FilterPolicy> other(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicyForFpChance(1));
  const auto builder = NewBuilder(*writer);
  for (int i = 0; i < 1000; ++i) {
    builder->AddKey(std::to_string(i));
  }
  const std::string block = FinishBlock(builder.get());
  const auto reader = NewReader(*other, block);
  int matches = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(reader->MayMatch(std::to_string(i)));
    matches += reader->MayMatch(std::to_string(i) + "x");
  }
  EXPECT_LT(matches, 10);
}

TEST(BitsReaderDeathTest, ReportsTheFirstBrokenBlockOnly) {
  // A process reports only its first damaged block.
  EXPECT_EXIT(
      {
        const std::unique_ptr<const FilterPolicy> policy(
            ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
        for (int i = 0; i < 3; ++i) {
          NewReader(*policy, "broken");
        }
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      "^cassandra_bloom: a filter block of 6 bytes is damaged: its "
      "keys are found, but not filtered \\(reported once\\)\n$");
}

}  // namespace
}  // namespace cassandra_bloom::testing
