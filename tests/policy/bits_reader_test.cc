// SPDX-License-Identifier: Apache-2.0

// Tests readers of both forms of blocks. A policy with blocks=rocksdb also
// reads RocksDB's own filters. Also tests RocksDB's reader with blocks of this
// policy.

#include "plugin/policy/bits_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/policy/policy_probe.h"
#include "tests/support/broken_filters.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::Slice;

const std::string kFrozenTrailer("\0cb\xff\xff", 5);

std::vector<std::string> Present(size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) {
    keys.push_back("key" + std::to_string(i));
  }
  return keys;
}

std::vector<std::string> Absent() {
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("absent" + std::to_string(i));
  }
  return keys;
}

// The largest batch of RocksDB's readers (MultiGetContext::MAX_BATCH_SIZE).
constexpr size_t kBatch = 32;

size_t CountMatches(rocksdb::FilterBitsReader* reader,
                    const std::vector<std::string>& keys) {
  size_t matches = 0;
  for (size_t done = 0; done < keys.size(); done += kBatch) {
    const std::vector<std::string> batch(
        keys.data() + done, keys.data() + std::min(done + kBatch, keys.size()));
    const std::vector<bool> answers = MayMatchBatch(reader, batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(answers[i], reader->MayMatch(batch[i])) << batch[i];
      matches += answers[i];
    }
  }
  return matches;
}

// The memory has exactly the block's size, so a sanitizer sees a read past the
// end.
size_t CountMatches(const rocksdb::FilterPolicy& policy,
                    const std::string& block,
                    const std::vector<std::string>& keys) {
  const std::vector<char> exact(block.begin(), block.end());
  const auto reader = NewReader(policy, Slice(exact.data(), exact.size()));
  return CountMatches(reader.get(), keys);
}

// ---- Our filters ----

TEST(BitsReaderTest, BatchesOfAnySizeEqualSingleKeys) {
  SCOPED_TRACE(Seed());
  const RandomKeys keys(Seed(), 40);
  for (const double bits : {1.0, 3.0, 10.0, 16.0, 100.0}) {
    const PolicyPtr policy = OurPolicy(bits);
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

// A block contains its number of probes and its size. So a policy with other
// bits per key can read the block.
TEST(BitsReaderTest, ReadsFiltersOfOtherBitsPerKey) {
  const PolicyPtr other = PolicyFrom("cassandra_bloom:fp:1");
  const std::string block = BuildBlock(OurPolicy(20), {}, 1000);
  EXPECT_EQ(CountMatches(*other, block, Present(1000)), 1000u);
  EXPECT_LT(CountMatches(*other, block, Absent()), 20u);
}

// ---- RocksDB's own filters ----

TEST(BitsReaderTest, ReadsTheFiltersOfRocksdb) {
  const PolicyPtr ours = OurPolicyBesideRocksdb();
  for (const char* const text :
       {"bloomfilter:10", "bloomfilter:16", "ribbonfilter:10"}) {
    SCOPED_TRACE(text);
    const PolicyPtr rocksdbs = PolicyFrom(text);
    // Before format_version 5, RocksDB's filters are of another kind.
    for (const uint32_t format_version : {2u, 5u}) {
      SCOPED_TRACE(format_version);
      Place place;
      place.format_version = format_version;
      for (const size_t size : {1u, 10u, 1000u, 20000u}) {
        SCOPED_TRACE(size);
        const std::string block = BuildBlock(rocksdbs, place, size);
        EXPECT_EQ(CountMatches(*ours, block, Present(size)), size);
        const size_t false_positives = CountMatches(*ours, block, Absent());
        EXPECT_LT(false_positives, 60u);
        EXPECT_EQ(false_positives, CountMatches(*rocksdbs, block, Absent()));
      }
    }
  }
}

// Readers of an open SST file may be used after their policy was destroyed.
TEST(BitsReaderTest, ReadersOfRocksdbsFiltersOutliveThePolicy) {
  const std::string block = BuildBlock(PolicyFrom("bloomfilter:10"), {}, 1000);
  PolicyPtr ours = OurPolicyBesideRocksdb();
  const auto reader = NewReader(*ours, block);
  ours.reset();
  EXPECT_EQ(CountMatches(reader.get(), Present(1000)), 1000u);
  EXPECT_LT(CountMatches(reader.get(), Absent()), 60u);
}

// These blocks are RocksDB's legacy Bloom filters without keys. RocksDB's
// reader matches no key in such a block.
std::vector<std::string> LegacyFiltersWithoutKeys() {
  std::vector<std::string> blocks;
  for (const char num_probes : {'\1', '\6', '\36', '\177'}) {
    blocks.push_back(num_probes + std::string(4, '\0'));
  }
  return blocks;
}

TEST(BitsReaderTest, BlocksWithoutAFilterMatchEverything) {
  const PolicyPtr ours = OurPolicyBesideRocksdb();
  std::vector<std::string> blocks = LegacyFiltersWithoutKeys();
  for (size_t size = 0; size <= 6; ++size) {
    blocks.emplace_back(size, '\0');
  }
  for (size_t size = 1; size <= 5; ++size) {
    for (const std::string& block :
         {std::string(size, '\xff'), kFrozenTrailer.substr(0, size),
          kFrozenTrailer.substr(5 - size),
          std::string("\6\0\0\0\1", 5).substr(5 - size),
          std::string("\x80\0\0\0\0", 5).substr(0, size)}) {
      blocks.push_back(block);
    }
  }
  // Byte 95 of 100 tells the kind of filter. In RocksDB, kind 0 and the kinds
  // that are reserved for later releases match every key.
  for (int kind = -128; kind <= 0; ++kind) {
    if (kind != -1 && kind != -2) {  // Bloom and Ribbon filters.
      blocks.push_back(std::string(95, '\0') + static_cast<char>(kind) +
                       std::string(4, '\0'));
    }
  }
  for (const std::string& block : blocks) {
    EXPECT_EQ(CountMatches(*ours, block, Absent()), Absent().size())
        << Slice(block).ToString(/*hex=*/true);
  }
}

// Of these blocks, only the last ones are damaged. A process reports only its
// first damaged block.
TEST(BitsReaderDeathTest, ReportsTheFirstBrokenBlockOnly) {
  EXPECT_EXIT(
      {
        const PolicyPtr beside = OurPolicyBesideRocksdb();
        for (const char* const text : {"bloomfilter:10", "ribbonfilter:10"}) {
          NewReader(*beside, BuildBlock(PolicyFrom(text), {}, 1000));
        }
        for (const std::string& block : LegacyFiltersWithoutKeys()) {
          NewReader(*beside, block);
        }
        NewReader(*beside, std::string(100, '\0'));
        NewReader(*beside, BuildBlock(beside, {}, 10));
        NewReader(*beside, std::string("\6\0", 2));
        NewReader(*OurPolicy(), "broken");
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      "^cassandra_bloom: a filter block of 2 bytes is damaged: its "
      "keys are found, but not filtered \\(reported once\\)\n$");
}

// ---- Damaged blocks ----

// All bits of these blocks are zero. A reader that used such a block as a
// filter would match nothing.
TEST(BitsReaderTest, BrokenBlocksMatchEverything) {
  for (const BrokenFilter& broken : kBrokenFilters) {
    SCOPED_TRACE(broken.fault);
    const std::vector<char> bytes = broken.Block();
    const std::string block(bytes.begin(), bytes.end());
    EXPECT_EQ(CountMatches(*OurPolicy(), block, Absent()), Absent().size());
    EXPECT_EQ(CountMatches(*OurPolicyBesideRocksdb(), block + kFrozenTrailer,
                           Absent()),
              Absent().size());
  }
  const std::string twice =
      BuildBlock(OurPolicyBesideRocksdb(), {}, 1000) + kFrozenTrailer;
  EXPECT_EQ(CountMatches(*OurPolicyBesideRocksdb(), twice, Absent()),
            Absent().size());
}

// Skips the trailer whose first byte is -2, because RocksDB would read this
// block as a Ribbon filter.
TEST(BitsReaderTest, ADamagedTrailerMatchesEverything) {
  const PolicyPtr ours = OurPolicyBesideRocksdb();
  const PolicyPtr rocksdbs = PolicyFrom("bloomfilter:10");
  std::vector<std::string> keys = Absent();
  keys.resize(kBatch);
  for (const size_t size : {1u, 5u, 100u, 1000u}) {
    const std::string intact = BuildBlock(ours, {}, size);
    for (size_t i = 1; i <= 5; ++i) {
      for (int value = 0; value < 256; ++value) {
        SCOPED_TRACE("byte -" + std::to_string(i) + " is " +
                     std::to_string(value));
        std::string block = intact;
        block[block.size() - i] = static_cast<char>(value);
        if (block != intact && !(i == 5 && value == 0xfe)) {
          ASSERT_EQ(CountMatches(*ours, block, keys), keys.size());
          ASSERT_EQ(CountMatches(*rocksdbs, block, keys), keys.size());
        }
      }
    }
  }
}

// CASSANDRA_BLOOM_BLOCKS=10000000 takes minutes.
TEST(BitsReaderTest, RocksdbsNeverDeniesAKeyOfOurs) {
  SCOPED_TRACE(Seed());
  const char* const given = std::getenv("CASSANDRA_BLOOM_BLOCKS");
  const uint64_t num_blocks =
      given == nullptr ? 100000 : std::strtoull(given, nullptr, 10);
  const PolicyPtr rocksdbs = PolicyFrom("bloomfilter:10");
  std::vector<PolicyPtr> policies;
  std::vector<std::unique_ptr<rocksdb::FilterBitsBuilder>> builders;
  for (int bits = 1; bits <= 100; ++bits) {
    policies.push_back(OurPolicyBesideRocksdb(bits));
    builders.push_back(NewBuilder(*policies.back()));
  }
  uint64_t random = Seed();
  for (uint64_t number = 0; number < num_blocks; ++number) {
    // Most blocks have 0 to 63 keys. One in a thousand has up to 4095 keys.
    const uint64_t size =
        NextRandom(&random) %
        (uint64_t{1} << (number % 1000 == 0 ? 12 : NextRandom(&random) % 7));
    const size_t which = NextRandom(&random) % policies.size();
    const uint64_t first = NextRandom(&random);
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t key = first + i;
      builders[which]->AddKey(
          Slice(reinterpret_cast<const char*>(&key), sizeof(key)));
    }
    std::unique_ptr<const char[]> buffer;
    ROCKSDB_NAMESPACE::Status status;
    const Slice block = builders[which]->Finish(&buffer, &status);
    ASSERT_TRUE(block.ends_with(Slice(kFrozenTrailer)));
    const auto theirs = NewReader(*rocksdbs, block);
    const auto ours = NewReader(*policies[which], block);
    bool may_match[4];
    uint64_t keys[4];
    Slice slices[4];
    Slice* pointers[4];
    for (int i = 0; i < 4; ++i) {
      // Two keys of the block, if the block has any, and two other keys.
      keys[i] = i < 2 ? first + (i == 0 ? 0 : size / 2) : NextRandom(&random);
      slices[i] = Slice(reinterpret_cast<const char*>(&keys[i]), 8);
      pointers[i] = &slices[i];
      ASSERT_TRUE(theirs->MayMatch(slices[i])) << number;
      ASSERT_TRUE(size == 0 || i >= 2 || ours->MayMatch(slices[i])) << number;
    }
    theirs->MayMatch(4, pointers, may_match);
    ASSERT_EQ(std::count(may_match, may_match + 4, true), 4) << number;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
