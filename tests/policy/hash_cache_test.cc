// SPDX-License-Identifier: Apache-2.0

// CachedHash and CachedHash16 must equal the plain hash.

#include "plugin/policy/hash_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

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
        << "key number " << i << " of " << size << " bytes, seed " << seed;
  }
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

TEST(HashCacheTest, SimilarKeysInOneBufferOfEachThread) {
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([i] { ExpectRightForSimilarKeys(Seed() + i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
