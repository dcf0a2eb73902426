// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
using ROCKSDB_NAMESPACE::kCompactionStyleLevel;
using ROCKSDB_NAMESPACE::kCompactionStyleNone;
using ROCKSDB_NAMESPACE::kCompactionStyleUniversal;

// RocksDB's Bloom policy would make its old filter below format_version 5. Its
// Ribbon policies make Ribbon filters in FIFO compaction and without a level.
TEST(RocksdbsPoliciesTest, BloomIsTheNewBloomFilterEverywhere) {
  constexpr size_t kKeys = 10000;
  const PolicyPtr policy = PolicyFrom(
      "cassandra_bloom:9.5:filter:bloom:bottommost_filter:ribbon:"
      "blocks:rocksdb");
  const std::string expected =
      BuildBlock(policy, {kCompactionStyleLevel, 3}, kKeys);
  EXPECT_EQ(TypeOf(expected), "bloom");
  EXPECT_NEAR(static_cast<double>(expected.size()) * 8 / kKeys, 9.5, 0.1);
  for (const uint32_t format_version : {2u, 4u, 5u}) {
    for (const rocksdb::CompactionStyle style :
         {kCompactionStyleLevel, kCompactionStyleUniversal,
          kCompactionStyleFIFO, kCompactionStyleNone}) {
      for (const int level : {-1, 0, 6}) {
        Place place = {style, level};
        place.format_version = format_version;
        EXPECT_EQ(BuildBlock(policy, place, kKeys), expected);
      }
    }
  }
}

// What `mix` builds in a place must be, byte by byte, what RocksDB's policies
// (or ours) build there with these bits per key. policy_settings_test.cc has
// other numbers of bits.
TEST(RocksdbsPoliciesTest, MixByPlace) {
  const auto ribbon = [](double bits) {
    return PolicyPtr(ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(bits, 0));
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
    const char* type;
  } cases[] = {
      {"mix:10", {kFlush, kAbove, kNone}, BuiltinPolicy(17), "bloom"},
      {"mix:10", {kUniversalFlush}, ribbon(17), "bloom"},
      {"mix:10", {kUniversalAbove}, ribbon(17), "ribbon"},
      {"mix:10",
       {kBottom, kUniversalBottom, kFifoFlush, kFifo, kNoneBottom, kUnknown,
        kUniversalUnknown},
       ribbon(9.4),
       "ribbon"},
      {"mix:10:filter:ribbon", {kFlush}, ribbon(17), "bloom"},
      {"mix:10:filter:ribbon",
       {kAbove, kUniversalAbove, kNone},
       ribbon(17),
       "ribbon"},
      {"mix:10:filter:bloom",
       {kFlush, kAbove, kUniversalAbove},
       BuiltinPolicy(17),
       "bloom"},
      {"mix:10:filter:bloom", {kBottom, kFifo}, ribbon(9.4), "ribbon"},
      {"mix:10:filter:cassandra",
       {kFlush, kAbove, kUniversalAbove},
       OurPolicyBesideRocksdb(17),
       "cassandra"},
      {"mix:10:filter:cassandra", {kBottom, kFifo}, ribbon(9.4), "ribbon"},
      {"mix:10:bottommost_filter:bloom",
       {kBottom, kFifoFlush, kFifo, kUnknown},
       BuiltinPolicy(9.4),
       "bloom"},
      {"mix:10:bottommost_filter:cassandra",
       {kFifo, kUnknown},
       OurPolicyBesideRocksdb(9.4),
       "cassandra"},
      {"mix:10", {kPrefixes}, OurPolicyBesideRocksdb(17), "cassandra"},
      // Without mix, an unknown level gets `filter`, and FIFO is no exception.
      {"10:bottommost_filter:ribbon:blocks:rocksdb",
       {kUnknown, kFifo},
       OurPolicyBesideRocksdb(10),
       "cassandra"},
  };
  for (const auto& expected : cases) {
    const PolicyPtr policy =
        PolicyFrom("cassandra_bloom:" + std::string(expected.text));
    for (const Place& place : expected.places) {
      SCOPED_TRACE(policy->GetId() + ", style " + std::to_string(place.style) +
                   ", level " + std::to_string(place.level));
      const std::string block = BuildBlock(policy, place);
      EXPECT_EQ(block, BuildBlock(expected.expected, place));
      EXPECT_EQ(TypeOf(block), expected.type);
    }
  }
}

// RocksDB's builders have pointers into our policy, so our policy must outlive
// them. The writer of a file has a copy of the table options, which own our
// policy.
TEST(RocksdbsPoliciesTest, WhoeverBuildsKeepsThePolicy) {
  const TempDir dir;
  PolicyPtr policy =
      PolicyFrom("cassandra_bloom:10:filter:ribbon:blocks:rocksdb");
  const std::weak_ptr<const rocksdb::FilterPolicy> watched = policy;
  ROCKSDB_NAMESPACE::Options options = DbOptions(std::move(policy));
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
