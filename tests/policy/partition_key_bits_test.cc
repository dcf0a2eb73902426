// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "plugin/lsm/partition_key.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::Slice;

constexpr const char* kExtractors[] = {
    "whole",  "skip:3",     "fixed:2",     "skip:3,fixed:2",
    "u16",    "skip:3,u16", "composite:1", "skip:3,composite:2",
    "fixed:1"};

TEST(PartitionKeyBitsTest, TheBlockIsThatOfThePartitionKeysAndFilters) {
  for (const PartitionLayout& layout : kPartitionLayouts) {
    SCOPED_TRACE(layout.name);
    const auto policy = PolicyFor(layout.partition_key);
    const auto builder = NewBuilder(*policy, /*detect_corruption=*/true);
    std::vector<std::string> partition_keys;
    for (uint64_t partition = 0; partition < 100; ++partition) {
      for (uint64_t row = 0; row < 5; ++row) {
        builder->AddKey(StorageKey(layout, partition, row));
        if (!HasEnd(layout) || row == 0) {
          partition_keys.push_back(PartitionKey(layout, partition, row));
        }
      }
    }
    EXPECT_EQ(builder->EstimateEntriesAdded(), partition_keys.size());
    const std::string block = FinishBlock(builder.get());
    EXPECT_EQ(block, NaiveBlock(partition_keys));
    EXPECT_TRUE(builder->MaybePostVerify(block).ok());
    const auto reader = NewReader(*policy, block);
    int matches = 0;
    for (uint64_t partition = 100; partition < 10100; ++partition) {
      matches += reader->MayMatch(StorageKey(layout, partition, 1));
    }
    EXPECT_LT(matches, 200);  // About 82 are expected.
    if (!HasEnd(layout)) {
      continue;
    }
    // A whole key and its prefix give the same partition key, so they are one
    // entry. RocksDB's comments on SliceTransform ask that a prefix is its own
    // prefix, and that no shorter text has it; tests/lsm/partition_key_test.cc
    // has more keys.
    const auto transform = TransformFor(layout.partition_key);
    for (uint64_t partition = 0; partition < 100; ++partition) {
      const std::string prefix = layout.prefix_of(partition);
      for (uint64_t row = 0; row < 5; ++row) {
        const std::string key = StorageKey(layout, partition, row);
        ASSERT_EQ(transform->Transform(key), prefix);
        AddKeyAndPrefix(key, prefix, builder.get());
      }
      ASSERT_EQ(transform->Transform(prefix), prefix);
      for (size_t size = 0; size <= prefix.size(); ++size) {
        ASSERT_EQ(transform->InDomain(prefix.substr(0, size)),
                  size == prefix.size());
      }
    }
    EXPECT_EQ(builder->EstimateEntriesAdded(), partition_keys.size());
    EXPECT_EQ(FinishBlock(builder.get()), block);
  }
}

std::vector<std::string> HostileKeys(uint64_t seed) {
  std::vector<std::string> keys = {"", std::string(65536, '\xFF'),
                                   std::string(65536, '\0'),
                                   std::string(65537, '\1')};
  for (int byte = 0; byte < 256; ++byte) {
    keys.emplace_back(1, static_cast<char>(byte));
    keys.emplace_back(2, static_cast<char>(byte));
    keys.emplace_back(3, static_cast<char>(byte));
    keys.push_back(BigEndian(static_cast<uint64_t>(byte), 2) + "key");
    keys.push_back("abc" + BigEndian(static_cast<uint64_t>(byte), 2) + "key");
    keys.push_back(std::string(3, '\0') + WithLength("key") +
                   static_cast<char>(byte) + WithLength("") +
                   static_cast<char>(byte) + "row");
  }
  const RandomKeys random_keys(seed, 20);
  uint64_t random = seed;
  for (uint64_t i = 0; i < 5000; ++i) {
    keys.push_back(random_keys[i]);
    keys.push_back(random_keys[i]);
    for (char& byte : keys.back()) {
      byte = static_cast<char>(NextRandom(&random) % 3);
    }
  }
  return keys;
}

// Prefixes must be found, too, although only whole keys were added.
TEST(PartitionKeyBitsTest, HostileKeysAreFoundAgain) {
  SCOPED_TRACE(Seed());
  const std::vector<std::string> keys = HostileKeys(Seed());
  for (const char* const partition_key : kExtractors) {
    SCOPED_TRACE(partition_key);
    const auto policy = PolicyFor(partition_key);
    const auto builder = NewBuilder(*policy, /*detect_corruption=*/true);
    for (const std::string& key : keys) {
      builder->AddKey(key);
    }
    const std::string block = FinishBlock(builder.get());
    ASSERT_TRUE(builder->MaybePostVerify(block).ok());
    const auto reader = NewReader(*policy, block);
    const std::vector<bool> in_batches = MayMatchBatch(reader.get(), keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(reader->MayMatch(keys[i]) && in_batches[i])
          << Slice(keys[i]).ToString(/*hex=*/true);
    }
    std::string error;
    if (!PartitionKeyExtractor::Parse(partition_key, &error)->has_end()) {
      continue;
    }
    const auto transform = TransformFor(partition_key);
    uint64_t num_prefixes = 0;
    for (const std::string& key : keys) {
      if (transform->InDomain(key)) {
        ASSERT_TRUE(reader->MayMatch(transform->Transform(key)))
            << Slice(key).ToString(/*hex=*/true);
        ++num_prefixes;
      }
    }
    EXPECT_GT(num_prefixes, 200u);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
