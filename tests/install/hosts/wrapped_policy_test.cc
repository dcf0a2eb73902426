// SPDX-License-Identifier: Apache-2.0

// Tests kvrocks_filter.cc, which needs the linker option --wrap.

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>

#include <memory>

namespace {

TEST(WrappedPolicyTest, CallsGiveThisPolicy) {
  for (bool use_block_based_builder : {false, true}) {
    std::unique_ptr<const rocksdb::FilterPolicy> policy(
        rocksdb::NewBloomFilterPolicy(10, use_block_based_builder));
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(policy->GetId(), "cassandra_bloom:10:blocks:rocksdb");
  }
}

TEST(WrappedPolicyTest, OtherFunctionsStay) {
  std::unique_ptr<const rocksdb::FilterPolicy> policy(
      rocksdb::NewRibbonFilterPolicy(10));
  ASSERT_NE(policy, nullptr);
  EXPECT_STREQ(policy->Name(), "ribbonfilter");
}

}  // namespace
