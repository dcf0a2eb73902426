// SPDX-License-Identifier: Apache-2.0

// Compares the statistics of a policy with the properties of the files.

#include <gtest/gtest.h>

#include <cstdint>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

class DatabaseStatisticsTest : public ::testing::TestWithParam<Layout> {};

TEST_P(DatabaseStatisticsTest, AreThoseOfTheFilesWritten) {
  const Dataset dataset = NumberedDataset(3000, 100);
  const PolicyPtr policy = OurPolicy();
  TestDb db(DbOptions(policy, GetParam()));
  EXPECT_EQ(StatisticsOf(*policy).filters_built, 0u);
  uint64_t entries = 0;
  uint64_t bytes = 0;
  for (uint64_t num_files = 1; num_files <= 3; ++num_files) {
    SCOPED_TRACE(num_files);
    if (num_files == 1) {
      db.Put(dataset.rows);
      db.Flush();
    } else {
      db.Compact();
    }
    const auto table = db.OnlyTable();
    entries += table->num_filter_entries;
    bytes += table->filter_size;
    const auto statistics = StatisticsOf(*policy);
    EXPECT_EQ(statistics.entries, entries);
    EXPECT_EQ(statistics.entries, num_files * dataset.rows.size());
    EXPECT_GT(statistics.build_nanos, 0u);
    EXPECT_EQ(statistics.match_all_filters, 0u);
    EXPECT_EQ(statistics.damaged_blocks, 0u);
    if (IsPartitioned(GetParam())) {
      EXPECT_GT(statistics.filters_built, 5 * num_files);
      // RocksDB's filter size includes the index of the filter's partitions.
      EXPECT_GT(bytes, statistics.bytes);
      EXPECT_LT(bytes, statistics.bytes * 13 / 10);
    } else {
      EXPECT_EQ(statistics.filters_built, num_files);
      EXPECT_EQ(statistics.bytes, bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, DatabaseStatisticsTest,
                         ::testing::ValuesIn(AllLayouts()),
                         [](const auto& layout) {
                           return ToString(layout.param);
                         });

}  // namespace
}  // namespace cassandra_bloom::testing
