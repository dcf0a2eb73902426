// SPDX-License-Identifier: Apache-2.0

// Tests examples/cpp/wrapped_bloom_filter.cc, which needs the linker option
// --wrap.

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>

#include <memory>

namespace {

TEST(WrappedBloomFilterTest, CallsGiveThisPolicy) {
  for (bool use_block_based_builder : {false, true}) {
    std::unique_ptr<const rocksdb::FilterPolicy> policy(
        rocksdb::NewBloomFilterPolicy(10, use_block_based_builder));
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(policy->GetId(), "cassandra_bloom:10:blocks:rocksdb");
  }
}

TEST(WrappedBloomFilterTest, OtherFunctionsStay) {
  std::unique_ptr<const rocksdb::FilterPolicy> policy(
      rocksdb::NewRibbonFilterPolicy(10));
  ASSERT_NE(policy, nullptr);
  EXPECT_STREQ(policy->Name(), "ribbonfilter");
}

}  // namespace
