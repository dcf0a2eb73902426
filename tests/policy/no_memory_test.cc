// SPDX-License-Identifier: Apache-2.0

// Without memory, a filter must match every key, and throw no exception.

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/block_form.h"
#include "tests/support/allocations.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Keeps the last error, and allocates no memory.
class LastLineLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  LastLineLogger() : Logger(ROCKSDB_NAMESPACE::InfoLogLevel::ERROR_LEVEL) {}
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::vsnprintf(line_, sizeof(line_), format, arguments);
    ++num_lines_;
  }
  std::string line() const { return line_; }
  int num_lines() const { return num_lines_; }

 private:
  char line_[500] = "";
  int num_lines_ = 0;
};

class NoMemoryTest : public ::testing::TestWithParam<BlockForm> {
 protected:
  void SetUp() override {
    ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options_);
    context.info_log = &logger_;
    builder_.reset(policy_->GetBuilderWithContext(context));
  }
  void TearDown() override { largest_allocation = SIZE_MAX; }

  void AddKeys(int count) {
    for (int i = 0; i < count; ++i) {
      char key[16];
      std::snprintf(key, sizeof(key), "%d", i);
      builder_->AddKey(Slice(key));
    }
  }

  // The block must not be empty, because in RocksDB an empty partition matches
  // no key.
  void ExpectMatchAllAndOk() {
    Status status;
    const Slice block = builder_->Finish(&buffer_, &status);
    largest_allocation = SIZE_MAX;
    EXPECT_TRUE(status.ok());
    EXPECT_TRUE(builder_->MaybePostVerify(block).ok());
    EXPECT_EQ(block.size(), 16 + TrailerSize(GetParam()));
    const auto reader = NewReader(*policy_, block);
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(reader->MayMatch("any key " + std::to_string(i)));
    }
    EXPECT_EQ(logger_.num_lines(), 1);
    EXPECT_NE(logger_.line().find("no memory for a filter of 5000 entries"),
              std::string::npos)
        << logger_.line();
    EXPECT_EQ(builder_->EstimateEntriesAdded(), 0u);
    AddKeys(5000);
    const std::string good = FinishBlock(builder_.get());
    EXPECT_EQ(good.size(),
              8 + 8 * ((50000u + 20 + 63) / 64) + TrailerSize(GetParam()));
    EXPECT_FALSE(NewReader(*policy_, good)->MayMatch("not there"));
  }

  const std::unique_ptr<const FilterPolicy> policy_{
      GetParam() == BlockForm::kFilterDb
          ? ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10)
          : ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb(10)};
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options_;
  LastLineLogger logger_;
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
  std::unique_ptr<const char[]> buffer_;
};

TEST_P(NoMemoryTest, HalfWayThroughTheKeys) {
  AddKeys(1);
  largest_allocation = 1000;
  // The first of these keys was already added. So the filter gets 5000 keys.
  AddKeys(5000);
  EXPECT_EQ(builder_->EstimateEntriesAdded(), 5000u);
  ExpectMatchAllAndOk();
}

TEST_P(NoMemoryTest, InFinish) {
  AddKeys(5000);
  largest_allocation = 1000;
  ExpectMatchAllAndOk();
}

TEST_P(NoMemoryTest, IsReportedOnceInABuilder) {
  for (int partition = 0; partition < 3; ++partition) {
    largest_allocation = 1000;
    AddKeys(5000);
    std::unique_ptr<const char[]> buffer;
    EXPECT_EQ(builder_->Finish(&buffer).size(), 16 + TrailerSize(GetParam()));
    largest_allocation = SIZE_MAX;
  }
  EXPECT_EQ(logger_.num_lines(), 1);
}

// RocksDB uses no filter if the builder or the reader is null.
TEST_P(NoMemoryTest, ForTheBuilderOrTheReader) {
  const std::unique_ptr<const FilterPolicy> mix(
      ROCKSDB_NAMESPACE::NewCassandraBloomMixPolicy(10));
  for (const FilterPolicy* const policy : {policy_.get(), mix.get()}) {
    ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options_);
    context.info_log = &logger_;
    builder_.reset(policy->GetBuilderWithContext(context));
    AddKeys(5000);
    const std::string block = FinishBlock(builder_.get());
    const int num_lines = logger_.num_lines();
    largest_allocation = 0;
    throws = true;
    const auto* const builder = policy->GetBuilderWithContext(context);
    const auto* const reader = policy->GetFilterBitsReader(block);
    throws = false;
    largest_allocation = SIZE_MAX;
    EXPECT_EQ(builder, nullptr);
    EXPECT_EQ(reader, nullptr);
    EXPECT_EQ(logger_.num_lines(), num_lines + 1);
  }
}

// Tests that a policy notices hashes that have changed in memory. With few
// keys, the last allocation contains the hashes.
class ChangedMemoryTest : public NoMemoryTest {
 protected:
  void SetUp() override {
    table_options_.detect_filter_construct_corruption = true;
    NoMemoryTest::SetUp();
    AddKeys(100);
    hashes_ = static_cast<char*>(last_allocation.load());
  }

  // Flips the lowest bit of each byte of a hash. Flipping only high bits could
  // leave all positions unchanged in a filter of 2^n bits.
  void FlipBitsOfAHash() {
    for (int i = 0; i < 16; ++i) {
      hashes_[16 * 50 + i] ^= 1;
    }
  }

  char* hashes_ = nullptr;
};

TEST_P(ChangedMemoryTest, BeforeTheFilterIsBuilt) {
  FlipBitsOfAHash();
  Status status;
  const Slice block = builder_->Finish(&buffer_, &status);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.ToString().find("hashes of the keys changed"),
            std::string::npos);
  EXPECT_TRUE(NewReader(*policy_, block)->MayMatch("any key"));
  EXPECT_EQ(block.size(), 16 + TrailerSize(GetParam()));
}

TEST_P(ChangedMemoryTest, BeforeTheFilterIsVerified) {
  Status status;
  const Slice block = builder_->Finish(&buffer_, &status);
  ASSERT_TRUE(status.ok());
  FlipBitsOfAHash();  // Now the hash is of an absent key.
  status = builder_->MaybePostVerify(block);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.ToString().find("a key is missing"), std::string::npos);
}

const auto kForms =
    ::testing::Values(BlockForm::kFilterDb, BlockForm::kBesideRocksdb);

std::string NameOf(const ::testing::TestParamInfo<BlockForm>& test) {
  return test.param == BlockForm::kFilterDb ? "FilterDb" : "BesideRocksdb";
}

INSTANTIATE_TEST_SUITE_P(Forms, NoMemoryTest, kForms, NameOf);
INSTANTIATE_TEST_SUITE_P(Forms, ChangedMemoryTest, kForms, NameOf);

}  // namespace
}  // namespace cassandra_bloom::testing
