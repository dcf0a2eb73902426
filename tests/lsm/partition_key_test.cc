// SPDX-License-Identifier: Apache-2.0

#include "plugin/lsm/partition_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/naive_partition_key.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

PartitionKeyExtractor Extractor(const std::string& spelling) {
  std::string error;
  const auto extractor = PartitionKeyExtractor::Parse(spelling, &error);
  EXPECT_TRUE(extractor) << error;
  return extractor.value_or(PartitionKeyExtractor());
}

std::string Extracted(const std::string& spelling, const std::string& key) {
  return std::string(Extractor(spelling).Extract(key));
}

TEST(PartitionKeyTest, SpellingsAndWhatTheyAreCalled) {
  const struct {
    const char* given;
    const char* spelling;
  } cases[] = {
      {"whole", "whole"},
      {"skip:0", "whole"},
      {"skip:8", "skip:8"},
      {"skip:65535", "skip:65535"},
      {"fixed:1", "fixed:1"},
      {"fixed:65535", "fixed:65535"},
      {"skip:0,fixed:16", "fixed:16"},
      {"skip:08,fixed:016", "skip:8,fixed:16"},
      {"u16", "u16"},
      {"skip:0,u16", "u16"},
      {"skip:8,u16", "skip:8,u16"},
      {"composite:1", "composite:1"},
      {"skip:8,composite:3", "skip:8,composite:3"},
      {"skip:65535,composite:65535", "skip:65535,composite:65535"},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.given);
    EXPECT_EQ(Extractor(expected.given).spelling(), expected.spelling);
    EXPECT_EQ(Extractor(expected.spelling).spelling(), expected.spelling);
  }
}

TEST(PartitionKeyTest, WrongSpellingsAreExplained) {
  for (const char* const wrong : {"",
                                  "Whole",
                                  "whole ",
                                  " whole",
                                  "8",
                                  "skip",
                                  "skip:",
                                  "skip:-1",
                                  "skip:+1",
                                  "skip:x",
                                  "skip:65536",
                                  "skip:99999999999999999999",
                                  "skip:8,",
                                  "skip:8,whole",
                                  "skip:8,skip:8",
                                  "skip:8, u16",
                                  "skip:8;u16",
                                  "skip:,u16",
                                  "skip:x,u16",
                                  "skip:8,u16,u16",
                                  "u16,skip:8",
                                  "u8",
                                  "u16:",
                                  "fixed",
                                  "fixed:",
                                  "fixed:0",
                                  "fixed:-1",
                                  "fixed:65536",
                                  "fixed:8,",
                                  "fixed:0x8",
                                  "composite",
                                  "composite:",
                                  "composite:0",
                                  "composite:65536",
                                  "skip:8,composite:0",
                                  "skip:8,fixed:0"}) {
    SCOPED_TRACE(wrong);
    std::string error;
    EXPECT_FALSE(PartitionKeyExtractor::Parse(wrong, &error));
    EXPECT_NE(error.find("'" + std::string(wrong) + "'"), std::string::npos)
        << error;
    EXPECT_NE(error.find("skip:S,composite:C"), std::string::npos) << error;
  }
}

TEST(PartitionKeyTest, OnlyWhatGoesOnToTheEndOfTheKeyHasNoEnd) {
  EXPECT_FALSE(Extractor("whole").has_end());
  EXPECT_FALSE(Extractor("skip:8").has_end());
  for (const char* const spelling :
       {"fixed:4", "u16", "composite:1", "skip:8,fixed:4", "skip:8,u16"}) {
    EXPECT_TRUE(Extractor(spelling).has_end()) << spelling;
  }
  EXPECT_TRUE(Extractor("whole").is_whole());
  EXPECT_FALSE(Extractor("skip:1").is_whole());
  EXPECT_FALSE(Extractor("fixed:1").is_whole());
}

TEST(PartitionKeyTest, FindsTheKeyInEveryLayout) {
  for (const PartitionLayout& layout : kPartitionLayouts) {
    SCOPED_TRACE(layout.name);
    for (uint64_t partition = 0; partition < 1000; ++partition) {
      for (const uint64_t row : {0u, 1u, 1000u}) {
        ASSERT_EQ(
            Extracted(layout.partition_key, StorageKey(layout, partition, row)),
            PartitionKey(layout, partition, row));
      }
    }
  }
}

// Tests keys that are one byte too short, and keys that are just long enough.
// The test below draws all such keys of up to 40 bytes.
TEST(PartitionKeyTest, AKeyThatEndsBeforeItsPartitionKeyIsTakenWhole) {
  const std::string zero(1, '\0');
  const struct {
    const char* spelling;
    std::string key;
    std::string expected;
  } cases[] = {
      {"skip:2", "a", "a"},
      {"skip:2", "ab", ""},
      {"skip:1,fixed:2", "ab", "ab"},
      {"skip:1,fixed:2", "abc", "bc"},
      {"u16", zero + "\1", zero + "\1"},
      {"u16", zero + "\1a", "a"},
      {"u16", "\xFF\xFF" + std::string(65534, 'a'),
       "\xFF\xFF" + std::string(65534, 'a')},
      {"u16", "\xFF\xFF" + std::string(65535, 'a'), std::string(65535, 'a')},
      {"u16", "\xFF\xFF" + std::string(65536, 'a'), std::string(65535, 'a')},
      {"skip:65535,u16", std::string(65535, '\0') + zero,
       std::string(65535, '\0') + zero},
      {"skip:65535,u16", std::string(65535, '\0') + zero + zero, ""},
      {"composite:1", zero + "\1a", zero + "\1a"},
      // The byte that ends a component may have any value.
      {"composite:1", zero + "\1a\xFFrow", zero + "\1a\xFF"},
      {"composite:2", zero + "\1a" + zero + zero + "\1b",
       zero + "\1a" + zero + zero + "\1b"},
      {"composite:2", zero + "\1a" + zero + zero + "\1b" + zero + "row",
       zero + "\1a" + zero + zero + "\1b" + zero},
      {"composite:65535", std::string(3 * 65535 - 1, '\0'),
       std::string(3 * 65535 - 1, '\0')},
      {"composite:65535", std::string(3 * 65535 + 1, '\0'),
       std::string(3 * 65535, '\0')},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(std::string(expected.spelling) + " of " +
                 std::to_string(expected.key.size()) + " bytes");
    EXPECT_EQ(Extracted(expected.spelling, expected.key), expected.expected);
  }
}

// The bytes after a partition key must not change it. Many bytes of the random
// keys are below 4, because a partition key with a large length would not fit
// into its key.
TEST(PartitionKeyTest, DependsOnNoByteBehindThePartitionKey) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  const RandomKeys keys(random, 40);
  uint64_t num_found = 0;
  uint64_t num_whole = 0;
  for (const char* const spelling :
       {"whole", "skip:3", "fixed:5", "skip:3,fixed:5", "u16", "skip:3,u16",
        "composite:1", "composite:2", "skip:3,composite:3"}) {
    SCOPED_TRACE(spelling);
    const PartitionKeyExtractor extractor = Extractor(spelling);
    for (uint64_t i = 0; i < 100000; ++i) {
      std::string key = keys[i];
      for (char& byte : key) {
        if (NextRandom(&random) % 2 == 0) {
          byte = static_cast<char>(NextRandom(&random) % 4);
        }
      }
      const std::string_view found = extractor.Extract(key);
      ASSERT_EQ(found, NaivePartitionKey(spelling, key)) << "key " << i;
      // The result points into the key.
      ASSERT_GE(found.data(), key.data());
      ASSERT_LE(found.data() + found.size(), key.data() + key.size());
      const std::optional<size_t> end = extractor.End(key);
      if (!end || !extractor.has_end()) {
        ASSERT_TRUE(end || found == key);
        ++num_whole;
        continue;
      }
      ++num_found;
      ASSERT_EQ(found.data() + found.size(), key.data() + *end);
      const std::string prefix = key.substr(0, *end);
      ASSERT_EQ(extractor.Extract(prefix), found);
      ASSERT_EQ(extractor.End(prefix), *end);
      const std::string other_row = prefix + keys[i + 1];
      ASSERT_EQ(extractor.Extract(other_row), found);
      ASSERT_EQ(extractor.End(other_row), *end);
      if (*end > 0) {
        ASSERT_EQ(extractor.End(prefix.substr(0, *end - 1)), std::nullopt);
      }
    }
  }
  EXPECT_GT(num_found, 100000);
  EXPECT_GT(num_whole, 100000);
}

}  // namespace
}  // namespace cassandra_bloom::testing
