// SPDX-License-Identifier: Apache-2.0

// Reads must find all rows of a file even if no memory was left for its filter.
// An empty filter would lose rows.

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/support/allocations.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

enum Filtered { kWholeKeys = 1, kPrefixes = 2, kBoth = 3 };

class NoMemoryDbTest
    : public ::testing::TestWithParam<std::tuple<Layout, Filtered>> {
 protected:
  void TearDown() override { largest_allocation = SIZE_MAX; }
};

TEST_P(NoMemoryDbTest, NoRowIsLost) {
  const auto [layout, filtered] = GetParam();
  constexpr uint64_t kSeed = 20;
  // All keys have a prefix, because RocksDB's assertions fail for keys outside
  // the domain of the prefix extractor.
  const Dataset dataset = PrefixedDataset(kSeed, 500, 10, 0);
  auto table_options = TableOptions(OurPolicy(), layout);
  table_options.whole_key_filtering = filtered != kPrefixes;
  rocksdb::Options options = DbOptions(table_options);
  if (filtered != kWholeKeys) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kPrefixSize));
  }
  TestDb db(options);
  db.Put(dataset.rows);
  // In bytes. Too small for a chunk of hashes, and for a full filter.
  largest_allocation = 1000;
  db.Flush();
  largest_allocation = SIZE_MAX;

  const auto check = [&] {
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
    EXPECT_TRUE(
        SeeksMatch(db.source(), dataset, options.prefix_extractor.get()));
  };
  check();
  EXPECT_EQ(db.ReadsFiltered(), 0u) << "there are no filters";
  db.Reopen();
  check();
  db.Compact();
  db.ResetStatistics();
  check();
  EXPECT_GT(db.ReadsFiltered(), 0u) << "filters must work again";
}

std::string NameOf(
    const ::testing::TestParamInfo<NoMemoryDbTest::ParamType>& instance) {
  constexpr const char* kNames[] = {"", "WholeKeys", "Prefixes", "Both"};
  return ToString(std::get<Layout>(instance.param)) + "_" +
         kNames[std::get<Filtered>(instance.param)];
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, NoMemoryDbTest,
    ::testing::Combine(::testing::ValuesIn(AllLayouts()),
                       ::testing::Values(kWholeKeys, kPrefixes, kBoth)),
    NameOf);

}  // namespace
}  // namespace cassandra_bloom::testing
