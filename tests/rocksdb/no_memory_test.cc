// Without memory a filter matches everything, and no exception reaches RocksDB.

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include <cstdarg>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/policy_filter.h"

namespace {

size_t largest_allocation = SIZE_MAX;

void* Allocate(size_t size) {
  return size <= largest_allocation ? std::malloc(size) : nullptr;
}

}  // namespace

// The two through which filters get memory. libstdc++'s operator delete, which
// frees it, is free().
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

class LineLogger : public ROCKSDB_NAMESPACE::Logger {
 public:
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

class NoMemoryTest : public ::testing::Test {
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

  void ExpectEmptyBlockAndOk() {
    Status status;
    EXPECT_EQ(builder_->Finish(&buffer_, &status).size(), 0u);
    largest_allocation = SIZE_MAX;
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(logger_.num_lines(), 1);
    EXPECT_NE(logger_.line().find("no memory for the filter of 5000 entries"),
              std::string::npos)
        << logger_.line();
    EXPECT_TRUE(NewReader(*policy_, Slice())->MayMatch("key"));
    // The next filter is a good one again.
    EXPECT_EQ(builder_->EstimateEntriesAdded(), 0u);
    AddKeys(5000);
    const std::string block = FinishBlock(builder_.get());
    EXPECT_EQ(block.size(), 8 + 8 * ((50000u + 20 + 63) / 64));
    EXPECT_FALSE(NewReader(*policy_, block)->MayMatch("not there"));
  }

  const std::unique_ptr<const FilterPolicy> policy_{
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10)};
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options_;
  LineLogger logger_;
  std::unique_ptr<FilterBitsBuilder> builder_;
  std::unique_ptr<const char[]> buffer_;
};

TEST_F(NoMemoryTest, InAddKey) {
  largest_allocation = 1000;
  AddKeys(5000);
  EXPECT_EQ(builder_->EstimateEntriesAdded(), 5000u);
  ExpectEmptyBlockAndOk();
}

TEST_F(NoMemoryTest, HalfWayThroughTheKeys) {
  AddKeys(1);
  largest_allocation = 1000;
  AddKeys(5000);  // The first of them is the one already there.
  EXPECT_EQ(builder_->EstimateEntriesAdded(), 5000u);
  ExpectEmptyBlockAndOk();
}

TEST_F(NoMemoryTest, InFinish) {
  AddKeys(5000);
  largest_allocation = 1000;
  ExpectEmptyBlockAndOk();
}

TEST_F(NoMemoryTest, ForTheBuilderOrTheReader) {
  AddKeys(5000);
  const std::string block = FinishBlock(builder_.get());
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options_);
  largest_allocation = 0;
  // RocksDB takes both for "no filter".
  EXPECT_EQ(policy_->GetBuilderWithContext(context), nullptr);
  EXPECT_EQ(policy_->GetFilterBitsReader(block), nullptr);
}

}  // namespace
}  // namespace cassandra_bloom::testing
