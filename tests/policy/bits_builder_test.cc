// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/bits_builder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/policy/block_form.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

const BlockForm kForms[] = {BlockForm::kFilterDb, BlockForm::kBesideRocksdb};

PolicyPtr PolicyOf(BlockForm form, double bits = 10) {
  return form == BlockForm::kFilterDb ? OurPolicy(bits)
                                      : OurPolicyBesideRocksdb(bits);
}

std::string TrailerOf(BlockForm form) {
  return form == BlockForm::kFilterDb ? "" : std::string("\0cb\xff\xff", 5);
}

TEST(BitsBuilderTest, AdjacentDuplicatesCountOnce) {
  const auto builder = NewBuilder(*OurPolicy());
  for (const char* key : {"a", "a", "b", "b", "b", "a", "", ""}) {
    builder->AddKey(key);
  }
  EXPECT_EQ(builder->EstimateEntriesAdded(), 4u);
  EXPECT_EQ(FinishBlock(builder.get()), NaiveBlock({"a", "b", "a", ""}));
}

// RocksDB adds the last prefix of a partition to the next partition, too. So a
// builder must not skip a key because the previous filter contains the key.
TEST(BitsBuilderTest, FinishForgetsTheLastKey) {
  const auto builder = NewBuilder(*OurPolicy());
  builder->AddKey("a");
  EXPECT_EQ(FinishBlock(builder.get()), NaiveBlock({"a"}));
  EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
  builder->AddKey("a");
  EXPECT_EQ(builder->EstimateEntriesAdded(), 1u);
  EXPECT_EQ(FinishBlock(builder.get()), NaiveBlock({"a"}));
}

TEST(BitsBuilderTest, BesideRocksdbIsTheFilterDbAndATrailer) {
  for (const double bits : {1.0, 9.5, 10.0, 100.0}) {
    SCOPED_TRACE(bits);
    const auto filter_db = NewBuilder(*OurPolicy(bits));
    const auto beside = NewBuilder(*OurPolicyBesideRocksdb(bits));
    for (int size = 0; size < 1000; size = size * 3 / 2 + 1) {
      for (int i = 0; i < size; ++i) {
        filter_db->AddKey(std::to_string(i));
        beside->AddKey(std::to_string(i));
      }
      const std::string expected =
          FinishBlock(filter_db.get()) + TrailerOf(BlockForm::kBesideRocksdb);
      ASSERT_EQ(FinishBlock(beside.get()), expected) << size;
      // RocksDB reads a block of at most five bytes as a filter without keys.
      ASSERT_GE(expected.size(), 21u);
    }
  }
}

// A block must not be longer, because RocksDB's reader uses only the low 32
// bits of the length.
TEST(BitsBuilderTest, NoBlockBesideRocksdbIsLongerThan32Bits) {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  const ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options);
  for (const double bits : {1.0, 10.0, 100.0}) {
    SCOPED_TRACE(bits);
    const Sizing sizing = *SizingForBitsPerKey(bits);
    const CassandraBloomBitsBuilder filter_db(sizing, PartitionKeyExtractor(),
                                              BlockForm::kFilterDb, context);
    const CassandraBloomBitsBuilder beside(sizing, PartitionKeyExtractor(),
                                           BlockForm::kBesideRocksdb, context);
    // About as many keys as fit into the largest block. A word has 64 bits.
    const auto most = static_cast<uint64_t>(
        64.0 * MaxWords(BlockForm::kBesideRocksdb) / bits);
    EXPECT_EQ(filter_db.BlockSize(0), 16u);
    EXPECT_EQ(beside.BlockSize(0), 21u);
    const uint64_t few = most - 100;
    EXPECT_EQ(beside.BlockSize(few), filter_db.BlockSize(few) + 5);
    for (const uint64_t keys : {most + 100, 4 * most, UINT64_MAX}) {
      EXPECT_EQ(beside.BlockSize(keys), 0xfefffffd) << keys;
      EXPECT_GT(filter_db.BlockSize(keys), 0xfefffffd) << keys;
    }
  }
}

#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
// RocksDB's comment on AddKeyAndAlt says which entries are duplicates.
TEST(BitsBuilderTest, KeysAndAlternatesAreComparedWithTheirOwnKind) {
  const auto builder = NewBuilder(*OurPolicy());
  builder->AddKey("k1");
  builder->AddKeyAndAlt("k2", "a");
  builder->AddKeyAndAlt("k3", "a");  // Same alternate as before.
  builder->AddKeyAndAlt("k3", "b");  // Same key as before.
  EXPECT_EQ(builder->EstimateEntriesAdded(), 5u);
  EXPECT_EQ(FinishBlock(builder.get()),
            NaiveBlock({"k1", "k2", "a", "k3", "b"}));

  builder->AddKeyAndAlt("k", "k");  // The key equals its alternate.
  EXPECT_EQ(builder->EstimateEntriesAdded(), 1u);
  builder->AddKeyAndAlt("kk", "k");  // The alternate is the previous key.
  EXPECT_EQ(builder->EstimateEntriesAdded(), 2u);
  EXPECT_EQ(FinishBlock(builder.get()), NaiveBlock({"k", "kk"}));

  builder->AddKeyAndAlt("k", "a");
  FinishBlock(builder.get());
  // Finish has forgotten the last key and its alternate.
  builder->AddKeyAndAlt("k", "a");
  EXPECT_EQ(FinishBlock(builder.get()), NaiveBlock({"k", "a"}));
}
#endif

#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
TEST(BitsBuilderTest, CalculateSpaceIsTheSizeOfTheBlock) {
  for (const BlockForm form : kForms) {
    const auto builder = NewBuilder(*PolicyOf(form));
    for (size_t n = 0; n < 1000; ++n) {
      for (size_t i = 0; i < n; ++i) {
        builder->AddKey(std::to_string(i));
      }
      EXPECT_EQ(builder->CalculateSpace(n), FinishBlock(builder.get()).size());
    }
    const size_t size = 1264 + TrailerOf(form).size();
    EXPECT_EQ(builder->EstimatedFpRate(1000, size),
              SizingForBitsPerKey(10)->ExpectedRate(1000, 1264));
    EXPECT_EQ(builder->EstimatedFpRate(1000, 0), 1);
  }
}
#endif

TEST(BitsBuilderTest, ApproximateNumEntriesAgreesWithTheSize) {
  for (const auto& [form, bits] : {std::pair(BlockForm::kFilterDb, 1.0),
                                   {BlockForm::kFilterDb, 9.5},
                                   {BlockForm::kFilterDb, 10.0},
                                   {BlockForm::kBesideRocksdb, 9.5},
                                   {BlockForm::kBesideRocksdb, 20.0},
                                   {BlockForm::kBesideRocksdb, 100.0}}) {
    const auto builder = NewBuilder(*PolicyOf(form, bits));
    for (size_t bytes = 32; bytes < 5000; bytes += 27) {
      const size_t most = builder->ApproximateNumEntries(bytes);
      ASSERT_GE(most, 1u);
      for (size_t i = 0; i < most; ++i) {
        builder->AddKey(std::to_string(i));
      }
      ASSERT_LE(FinishBlock(builder.get()).size(), bytes);
      for (size_t i = 0; i < most + 1; ++i) {
        builder->AddKey(std::to_string(i));
      }
      ASSERT_GT(FinishBlock(builder.get()).size(), bytes);
    }
    EXPECT_EQ(builder->ApproximateNumEntries(0), 0u);
    EXPECT_EQ(builder->ApproximateNumEntries(4), 0u);
    EXPECT_EQ(builder->ApproximateNumEntries(15 + TrailerOf(form).size()), 0u);
    // RocksDB may pass a size that no filter can have.
    EXPECT_EQ(builder->ApproximateNumEntries(SIZE_MAX),
              SizingForBitsPerKey(bits)->MaxKeys(kMaxFilterWords));
  }
}

TEST(DetectCorruptionTest, OnlyTheIntactBlockPasses) {
  for (const BlockForm form : kForms) {
    SCOPED_TRACE(TrailerOf(form).size());
    const auto builder =
        NewBuilder(*PolicyOf(form), /*detect_corruption=*/true);
    const auto build_hundred = [&builder] {
      for (int i = 0; i < 100; ++i) {
        builder->AddKey("key" + std::to_string(i));
      }
      return FinishBlock(builder.get());
    };
    const std::string intact = build_hundred();
    EXPECT_TRUE(builder->MaybePostVerify(intact).ok());
    for (size_t bit = 0; bit < 8 * intact.size(); ++bit) {
      std::string flipped = build_hundred();
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      ASSERT_TRUE(builder->MaybePostVerify(flipped).IsCorruption()) << bit;
    }
    builder->AddKey("a");
    const std::string next = FinishBlock(builder.get());
    EXPECT_TRUE(builder->MaybePostVerify(next).ok());
    EXPECT_EQ(next, NaiveBlock({"a"}) + TrailerOf(form));
  }
}

TEST(DetectCorruptionTest, IsOffUnlessAskedFor) {
  const auto builder = NewBuilder(*OurPolicy());
  builder->AddKey("a");
  FinishBlock(builder.get());
  EXPECT_TRUE(builder->MaybePostVerify("anything").ok());
}

}  // namespace
}  // namespace cassandra_bloom::testing
