// SPDX-License-Identifier: Apache-2.0

// With the option detect_filter_construct_corruption, RocksDB fails a flush or
// a compaction if a filter changes in memory before it is written.
// tests/policy/bits_builder_test.cc has every bit of a filter of ours.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

rocksdb::Options Detecting(PolicyPtr policy, Layout layout) {
  rocksdb::BlockBasedTableOptions table_options =
      TableOptions(std::move(policy), layout);
  table_options.detect_filter_construct_corruption = true;
  return DbOptions(table_options);
}

// The type of the filter that is changed. RocksDB's builders, which our policy
// returns, must verify the filter, too.
class ConstructCorruptionTest
    : public ::testing::TestWithParam<std::tuple<Layout, const char*>> {};

// Slow, because RocksDB waits a second after a failure.
TEST_P(ConstructCorruptionTest, AClearedBitFailsTheFlushOrTheCompaction) {
  const auto& [layout, type] = GetParam();
  const bool is_ours = type == std::string("cassandra");
  const PolicyPtr policy =
      is_ours ? OurPolicy() : PolicyOf(Types("cassandra", type));
  // Clears one bit of every filter, as defective memory may do.
  std::atomic<int> num_cleared{0};
  const auto damaging = std::make_shared<ChangingPolicy>(
      policy, [&num_cleared](const rocksdb::Slice& block) {
        auto* const end = const_cast<char*>(block.data()) + block.size();
        auto* const bits = std::find_if(end - block.size() + 8, end,
                                        [](char byte) { return byte != 0; });
        if (bits != end) {
          *bits = static_cast<char>(*bits & (*bits - 1));
          ++num_cleared;
        }
        return block;
      });
  for (const bool in_flush : {true, false}) {
    if (in_flush && !is_ours) {
      continue;  // A flush writes `filter`, which is ours.
    }
    SCOPED_TRACE(in_flush);
    TestDb db(Detecting(policy, layout));
    if (!in_flush) {
      db.Fill(SomeRows());
    }
    db.Reopen(Detecting(damaging, layout));
    if (in_flush) {
      db.Put(SomeRows());
    }
    const rocksdb::Status status =
        in_flush ? db->Flush(rocksdb::FlushOptions()) : CompactAll(db.source());
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    if (is_ours) {
      EXPECT_NE(status.ToString().find("cassandra_bloom"), std::string::npos)
          << status.ToString();
    }
    EXPECT_GT(num_cleared.exchange(0), 0);
    // No row may be lost. The rows are still in the write-ahead log, or in the
    // input of the compaction.
    db.Reopen(Detecting(policy, layout));
    ExpectAllFound(db);
    EXPECT_EQ(CompactAll(db.source()).ToString(), "OK");
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConstructCorruptionTest,
    ::testing::Combine(::testing::Values(Layout::kFull, Layout::kPartitioned),
                       ::testing::Values("cassandra", "bloom", "ribbon")),
    [](const auto& test) {
      return ToString(std::get<Layout>(test.param)) + "_" +
             std::get<const char*>(test.param);
    });

}  // namespace
}  // namespace cassandra_bloom::testing
