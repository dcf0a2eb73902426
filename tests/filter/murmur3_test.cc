// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/murmur3.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/cassandra_data.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

Hash128 HashOfBytes(const std::string& key) {
  return CassandraMurmur3(key.data(), key.size());
}

struct Vector {
  const char* key_hex;
  uint64_t h1;
  uint64_t h2;
};

// Results of Cassandra's MurmurHash.hash3_x64_128. Except for the empty key,
// they differ from those of the published MurmurHash3.
constexpr Vector kCassandraVectors[] = {
    {"", 0, 0},
    {"8a", 0xc9197024fc95e38f, 0xdfa1a9c80bb3826f},
    {"90", 0x5e2d35f99536059d, 0x94a2b234f8af8503},
    {"31425364758697", 0x379d758d4b9e75dd, 0x3abdcabcc89a3e39},
    {"b4c5d6e7f8091a", 0x6de2df1938ff8d0c, 0x5a3ac0cca123cee0},
    {"38495a6b7c8d9eaf", 0x93ade753cfdcc078, 0x2d03cbaae0839814},
    {"bbccddeeff102132", 0xa39b360c582974c9, 0xe5c1481a244b8ec5},
    {"3f5061728394a5b6c7", 0xebcdd7afc4fa5cc9, 0xd8714d76cd1b26c0},
    {"c2d3e4f5061728394a", 0x09847ea533a13580, 0xe604f19f5a1057f3},
    {"697a8b9cadbecfe0f1021324354657", 0x32d1c82061456cbe, 0x4122361622996f4a},
    {"ecfd0e1f30415263748596a7b8c9da", 0x5c33a9ab56885443, 0x47ad48afb4b05e28},
    {"778899aabbccddeeff1021324354657687", 0xf3c66b051fdf1dfd,
     0x8db4cf6c768ba8c2},
    {"7d8e9fb0c1d2e3f405162738495a6b7c8d", 0x5aa037bde26f7ee3,
     0x2778dd44e763994a},
    {"d9eafb0c1d2e3f5061728394a5b6c7d8e9fa0b1c2d3e4f60718293a4b5c6d7",
     0x520e7e3335646300, 0xb1b0fdde686f5006},
    {"495a6b7c8d9eafc0d1e2f30415263748596a7b8c9daebfd0e1f2031425364758697a8b9ca"
     "dbecfe0f1021324354657",
     0x98d946b9dd3e501e, 0x719976d951c38359},
};

TEST(Murmur3Test, EqualsCassandra) {
  for (const Vector& vector : kCassandraVectors) {
    SCOPED_TRACE(vector.key_hex);
    const Hash128 hash = HashOfBytes(FromHex(vector.key_hex));
    EXPECT_EQ(hash.h1, vector.h1);
    EXPECT_EQ(hash.h2, vector.h2);
  }
}

TEST(Murmur3Test, EqualsCassandraOnItsTable) {
  const auto table = ReadCassandraTable("hashes.tsv");
  ASSERT_EQ(table.size(), 1040u);
  for (const auto& fields : table) {
    SCOPED_TRACE(fields[0]);
    const Hash128 hash = HashOfBytes(FromHex(fields[0]));
    EXPECT_EQ(hash.h1, std::stoull(fields[1], nullptr, 16));
    EXPECT_EQ(hash.h2, std::stoull(fields[2], nullptr, 16));
  }
}

TEST(Murmur3Test, NullIsTheEmptyKey) {
  EXPECT_EQ(CassandraMurmur3(nullptr, 0), (Hash128{0, 0}));
}

// Tails of every length, with every combination of positive and negative bytes.
TEST(Murmur3Test, EqualsTheReferenceForAllTailSigns) {
  for (size_t size = 1; size <= 15; ++size) {
    for (uint32_t signs = 0; signs < (1u << size); ++signs) {
      std::string key(size, '\x2a');
      for (size_t i = 0; i < size; ++i) {
        if ((signs >> i) & 1) {
          key[i] = '\xaa';
        }
      }
      const auto [h1, h2] = PlainHash(key);
      ASSERT_EQ(HashOfBytes(key), (Hash128{h1, h2})) << size << " " << signs;
    }
  }
}

TEST(Murmur3Test, EqualsTheReferenceOnRandomKeys) {
  SCOPED_TRACE(Seed());
  const RandomKeys keys(Seed(), 300);
  std::string key;
  std::string buffer;
  for (uint64_t i = 0; i < 100000; ++i) {
    keys.Make(i, &key);
    const auto [h1, h2] = PlainHash(key);
    const size_t misalignment = i % 16;
    buffer.assign(misalignment, 'x');
    buffer += key;
    ASSERT_EQ(CassandraMurmur3(buffer.data() + misalignment, key.size()),
              (Hash128{h1, h2}))
        << "key " << i;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
