// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <gtest/gtest.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactionStyle;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
using ROCKSDB_NAMESPACE::kCompactionStyleLevel;
using ROCKSDB_NAMESPACE::kCompactionStyleNone;
using ROCKSDB_NAMESPACE::kCompactionStyleUniversal;

// A filter block of RocksDB ends with five bytes. The first of these bytes
// tells the type of the filter.
constexpr int kBloomByte = -1;
constexpr int kRibbonByte = -2;
constexpr int kOursByte = 0;

// Returns a Bloom filter of 9.5 bits per key.
std::string BloomBlockOf(CompactionStyle style, int level,
                         uint32_t format_version) {
  const RocksdbsPolicies policies(
      SettingsOf("cassandra_bloom:9.5:filter:bloom:bottommost_filter:ribbon:"
                 "blocks:rocksdb"));
  BlockBasedTableOptions table_options;
  table_options.format_version = format_version;
  table_options.optimize_filters_for_memory = false;
  FilterBuildingContext context(table_options);
  context.compaction_style = style;
  context.level_at_creation = level;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policies.NewBuilder(FilterType::kBloom, 9500, context));
  for (int i = 0; i < 10000; ++i) {
    builder->AddKey("key" + std::to_string(i));
  }
  return FinishBlock(builder.get());
}

int TypeByte(const std::string& block) {
  return static_cast<signed char>(block.at(block.size() - 5));
}

// RocksDB's Bloom policy would make its old filter below format_version 5. Its
// Ribbon policies make Ribbon filters in FIFO compaction and without a level.
TEST(RocksdbsPoliciesTest, BloomIsTheNewBloomFilterEverywhere) {
  const std::string expected = BloomBlockOf(kCompactionStyleLevel, 3, 5);
  EXPECT_EQ(TypeByte(expected), kBloomByte);
  EXPECT_NEAR(static_cast<double>(expected.size()) * 8 / 10000, 9.5, 0.1);
  for (const uint32_t format_version : {2u, 4u, 5u}) {
    for (const CompactionStyle style :
         {kCompactionStyleLevel, kCompactionStyleUniversal,
          kCompactionStyleFIFO, kCompactionStyleNone}) {
      for (const int level : {-1, 0, 6}) {
        EXPECT_EQ(BloomBlockOf(style, level, format_version), expected);
      }
    }
  }
}

// ---- Through our policy ----

std::unique_ptr<FilterPolicy> PolicyOf(const std::string& text) {
  EXPECT_EQ(SettingsOf(text).error, "");
  return std::make_unique<CassandraBloomPolicy>(text);
}

// What `mix` builds in a place must be, byte by byte, what RocksDB's policies
// (or ours) build there with these bits per key. policy_settings_test.cc has
// other numbers of bits.
TEST(RocksdbsPoliciesTest, MixByPlace) {
  const auto ribbon = [](double bits) {
    return PolicyPtr(ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(bits, 0));
  };
  const auto bloom = [](double bits) {
    return PolicyPtr(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(bits));
  };
  const auto ours = [](double bits) {
    return PolicyPtr(
        ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb(bits));
  };
  constexpr Place kFlush = {kCompactionStyleLevel, 0, false, true};
  constexpr Place kAbove = {kCompactionStyleLevel, 3, false, false};
  constexpr Place kBottom = {kCompactionStyleLevel, 3, true, false};
  constexpr Place kUniversalFlush = {kCompactionStyleUniversal, 0, false, true};
  constexpr Place kUniversalAbove = {kCompactionStyleUniversal, 3, false,
                                     false};
  constexpr Place kUniversalBottom = {kCompactionStyleUniversal, 6, true,
                                      false};
  constexpr Place kFifoFlush = {kCompactionStyleFIFO, 0, false, true};
  constexpr Place kFifo = {kCompactionStyleFIFO, 0, false, false};
  constexpr Place kNone = {kCompactionStyleNone, 0, false, true};
  constexpr Place kNoneBottom = {kCompactionStyleNone, 6, true, false};
  constexpr Place kUnknown = {kCompactionStyleLevel, -1, false, false};
  constexpr Place kUniversalUnknown = {kCompactionStyleUniversal, -1, false,
                                       false};
  constexpr Place kPrefixes = {kCompactionStyleLevel, 3, false, false, true};
  const struct {
    const char* text;
    std::vector<Place> places;
    PolicyPtr expected;
    int type;
  } cases[] = {
      {"mix:10", {kFlush, kAbove, kNone}, bloom(17), kBloomByte},
      {"mix:10", {kUniversalFlush}, ribbon(17), kBloomByte},
      {"mix:10", {kUniversalAbove}, ribbon(17), kRibbonByte},
      {"mix:10",
       {kBottom, kUniversalBottom, kFifoFlush, kFifo, kNoneBottom, kUnknown,
        kUniversalUnknown},
       ribbon(9.4),
       kRibbonByte},
      {"mix:10:filter:ribbon", {kFlush}, ribbon(17), kBloomByte},
      {"mix:10:filter:ribbon",
       {kAbove, kUniversalAbove, kNone},
       ribbon(17),
       kRibbonByte},
      {"mix:10:filter:bloom",
       {kFlush, kAbove, kUniversalAbove},
       bloom(17),
       kBloomByte},
      {"mix:10:filter:bloom", {kBottom, kFifo}, ribbon(9.4), kRibbonByte},
      {"mix:10:filter:cassandra",
       {kFlush, kAbove, kUniversalAbove},
       ours(17),
       kOursByte},
      {"mix:10:filter:cassandra", {kBottom, kFifo}, ribbon(9.4), kRibbonByte},
      {"mix:10:bottommost_filter:bloom",
       {kBottom, kFifoFlush, kFifo, kUnknown},
       bloom(9.4),
       kBloomByte},
      {"mix:10:bottommost_filter:cassandra",
       {kFifo, kUnknown},
       ours(9.4),
       kOursByte},
      {"mix:10", {kPrefixes}, ours(17), kOursByte},
      // Without mix, an unknown level gets `filter`, and FIFO is no exception.
      {"10:bottommost_filter:ribbon:blocks:rocksdb",
       {kUnknown, kFifo},
       ours(10),
       kOursByte},
  };
  for (const auto& expected : cases) {
    const PolicyPtr policy =
        PolicyOf("cassandra_bloom:" + std::string(expected.text));
    for (const Place& place : expected.places) {
      SCOPED_TRACE(policy->GetId() + ", style " + std::to_string(place.style) +
                   ", level " + std::to_string(place.level));
      const std::string block = BuildBlock(policy, place);
      EXPECT_EQ(block, BuildBlock(expected.expected, place));
      EXPECT_EQ(TypeByte(block), expected.type);
    }
  }
}

// RocksDB's builders have pointers into our policy, so our policy must outlive
// them. The writer of a file has a copy of the table options, which own our
// policy.
TEST(RocksdbsPoliciesTest, WhoeverBuildsKeepsThePolicy) {
  const TempDir dir;
  std::shared_ptr<const FilterPolicy> policy =
      PolicyOf("cassandra_bloom:10:filter:ribbon:blocks:rocksdb");
  const std::weak_ptr<const FilterPolicy> watched = policy;
  ROCKSDB_NAMESPACE::Options options;
  SetFilterPolicy(std::move(policy), &options);
  {
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(),
                                            options);
    ASSERT_TRUE(writer.Open(dir / "file.sst").ok());
    options = ROCKSDB_NAMESPACE::Options();
    ASSERT_TRUE(writer.Put("key", "value").ok());
    EXPECT_FALSE(watched.expired());
    ASSERT_TRUE(writer.Finish().ok());
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace cassandra_bloom::testing
