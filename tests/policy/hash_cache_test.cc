// SPDX-License-Identifier: Apache-2.0

// CachedHash and CachedHash16 must equal the plain hash.

#include "plugin/policy/hash_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

bool IsRight(std::string_view key) {
  const auto [h1, h2] = PlainHash(key);
  const Hash128 hash =
      key.size() == 16 ? CachedHash16(key.data()) : CachedHash(key);
  return hash == Hash128{h1, h2};
}

// Each key differs from the key before in one byte or in length, or is
// repeated.
void ExpectRightForSimilarKeys(uint64_t seed) {
  constexpr size_t kMaxSize = HashCache::kMaxSize + 40;
  uint64_t random = seed;
  std::string buffer(kMaxSize, '\0');
  size_t size = 16;
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t number = NextRandom(&random);
    switch (number % 8) {
      case 0:
        size = (number >> 8) % (kMaxSize + 1);
        break;
      case 1:
        size += size < kMaxSize ? 1 : 0;
        break;
      case 2:
        size -= size > 0 ? 1 : 0;
        break;
      case 3:
        size = 16;
        break;
      case 4:
      case 5:
        buffer[(number >> 8) % kMaxSize] ^= static_cast<char>(number >> 32);
        break;
      default:
        break;  // The same key again.
    }
    ASSERT_TRUE(IsRight(std::string_view(buffer.data(), size)))
        << "key number " << i << " of " << size << " bytes";
  }
}

TEST(HashCacheTest, SimilarKeysInOneBuffer) {
  SCOPED_TRACE(Seed());
  ExpectRightForSimilarKeys(Seed());
}

TEST(HashCacheTest, EveryByteOfEveryLength) {
  for (size_t size = 0; size <= HashCache::kMaxSize + 2; ++size) {
    std::string key(size, 'k');
    for (size_t i = 0; i < size; ++i) {
      ASSERT_TRUE(IsRight(key));
      key[i] = static_cast<char>(~key[i]);
      ASSERT_TRUE(IsRight(key)) << size << " bytes, changed at " << i;
    }
    ASSERT_TRUE(IsRight(key));
    ASSERT_TRUE(IsRight(std::string_view(key).substr(0, size / 2)));
  }
}

TEST(HashCacheTest, TheEmptyKeyComesFirstInAThread) {
  bool is_right = false;
  std::thread([&is_right] {
    is_right = IsRight("") && IsRight(std::string_view()) &&
               IsRight(std::string(16, '\0'));
  }).join();
  EXPECT_TRUE(is_right);
}

TEST(HashCacheTest, Threads) {
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([i] { ExpectRightForSimilarKeys(Seed() + i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// The cache must compare the extracted bytes, and not the whole key.
TEST(HashCacheTest, TwoPoliciesThatHashDifferentPartsOfOneKey) {
  CassandraBloomOptions of_partitions;
  of_partitions.partition_key = "fixed:16";
  const std::unique_ptr<const FilterPolicy> policies[] = {
      std::unique_ptr<const FilterPolicy>(
          ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10)),
      std::unique_ptr<const FilterPolicy>(
          ROCKSDB_NAMESPACE::NewCassandraBloomPolicyFromOptions(of_partitions)),
  };
  const RandomKeys random(Seed(), 40);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 1000; ++i) {
    keys.push_back(random[i]);
  }
  std::vector<std::string> blocks;
  for (const auto& policy : policies) {
    const auto builder = NewBuilder(*policy);
    for (const std::string& key : keys) {
      builder->AddKey(key);
    }
    blocks.push_back(FinishBlock(builder.get()));
  }
  const auto whole = NewReader(*policies[0], blocks[0]);
  const auto partitions = NewReader(*policies[1], blocks[1]);
  for (const std::string& key : keys) {
    EXPECT_TRUE(whole->MayMatch(key));
    EXPECT_TRUE(partitions->MayMatch(key));
    EXPECT_TRUE(whole->MayMatch(key));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
