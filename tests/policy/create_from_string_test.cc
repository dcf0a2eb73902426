// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "tests/policy/policy_probe.h"
#include "tests/policy/policy_strings.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

class CreateFromStringTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterInDefaultRegistry(); }

  static PolicyPtr Create(const std::string& text) {
    PolicyPtr policy;
    const Status status =
        FilterPolicy::CreateFromString(ConfigOptions(), text, &policy);
    EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
    return policy;
  }
};

TEST_F(CreateFromStringTest, AcceptedStringsBuildTheirFilter) {
  for (const AcceptedString& accepted : AcceptedStrings()) {
    SCOPED_TRACE(accepted.text);
    const PolicyPtr policy = Create(accepted.text);
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(policy->GetId(), accepted.id);
    const std::string block = BuildBlock(policy);
    if (accepted.num_probes == 0) {
      EXPECT_EQ(block, "(no builder)");
      continue;
    }
    const auto num_words = static_cast<size_t>(accepted.num_words);
    if (accepted.num_probes == kRocksdbsFilter) {
      EXPECT_FALSE(WithoutTrailer(block).has_value());
      EXPECT_EQ(block.size() / 8, num_words);
      continue;
    }
    ASSERT_GE(block.size(), 8u);
    EXPECT_EQ(NumProbes(block), accepted.num_probes);
    EXPECT_EQ(NumWords(block), accepted.num_words);
    EXPECT_EQ(block.size(), BlockSize(accepted));
  }
}

// Skips the filters whose size depends on the allocator.
TEST_F(CreateFromStringTest, CassandrasSizesDoNotDependOnTheAllocator) {
  for (const AcceptedString& accepted : AcceptedStrings()) {
    SCOPED_TRACE(accepted.id);
    const std::string id = accepted.id;
    const auto has = [&](const char* text) {
      return id.find(text) != std::string::npos;
    };
    if (accepted.num_probes == kRocksdbsFilter || has(":mix:") ||
        (has(":blocks:rocksdb") && !has(":fp:") && !has("fp_chance"))) {
      continue;
    }
    const PolicyPtr policy = Create(accepted.text);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(BuildBlock(policy, /*optimize_filters_for_memory=*/true),
                BuildBlock(policy));
    }
  }
}

TEST_F(CreateFromStringTest, TheIdGivesTheSamePolicy) {
  for (const AcceptedString& accepted : AcceptedStrings()) {
    SCOPED_TRACE(accepted.text);
    const PolicyPtr policy = Create(accepted.text);
    ASSERT_NE(policy, nullptr);
    const PolicyPtr again = Create(policy->GetId());
    EXPECT_EQ(IdOf(again), policy->GetId());
    EXPECT_EQ(BuildBlock(again), BuildBlock(policy));
  }
}

TEST_F(CreateFromStringTest, RefusedStringsAreExplained) {
  for (const RefusedString& refused : RefusedStrings()) {
    SCOPED_TRACE(refused.text);
    PolicyPtr policy;
    EXPECT_TRUE(IsRefusal(
        FilterPolicy::CreateFromString(ConfigOptions(), refused.text, &policy),
        refused));
  }
}

TEST_F(CreateFromStringTest, APolicyOfARefusedStringBuildsNothingAndReads) {
  const std::string filter = BuildBlock(Create("cassandra_bloom:10"));
  for (const RefusedString& refused : RefusedStrings()) {
    SCOPED_TRACE(refused.text);
    PolicyPtr policy;
    FilterPolicy::CreateFromString(ConfigOptions(), refused.text, &policy)
        .PermitUncheckedError();
    ASSERT_NE(policy, nullptr);
    // RocksDB may write the id of this policy into an OPTIONS file. So a policy
    // that is made from this id must be refused, too.
    PolicyPtr stored;
    EXPECT_TRUE(FilterPolicy::CreateFromString(ConfigOptions(), policy->GetId(),
                                               &stored)
                    .IsInvalidArgument());
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->GetId(), policy->GetId());
    EXPECT_EQ(policy->GetId().find_first_of("=;{}#"), std::string::npos);
    EXPECT_STREQ(policy->Name(), "cassandra_bloom");

    ::testing::internal::CaptureStderr();
    EXPECT_STREQ(policy->CompatibilityName(), "cassandra_bloom");
    EXPECT_EQ(BuildBlock(policy), "(no builder)");
    EXPECT_TRUE(Explains(::testing::internal::GetCapturedStderr(), refused));

    using ROCKSDB_NAMESPACE::FilterBitsReader;
    const std::unique_ptr<FilterBitsReader> reader(
        policy->GetFilterBitsReader(filter));
    ASSERT_NE(reader, nullptr);
    EXPECT_TRUE(reader->MayMatch("key0"));
    int matches = 0;
    for (int i = 0; i < 100; ++i) {
      matches += reader->MayMatch("absent" + std::to_string(i)) ? 1 : 0;
    }
    EXPECT_LT(matches, 20) << "the reader does not filter";
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
