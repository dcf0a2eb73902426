// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugin/policy/block_form.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// Forwards every call to a cassandra_bloom policy.
class ForwardingPolicy : public rocksdb::FilterPolicy {
 public:
  // Forwards to a policy with 10 bits per key.
  explicit ForwardingPolicy(BlockForm form = BlockForm::kFilterDb);
  explicit ForwardingPolicy(PolicyPtr ours);

  const char* Name() const override { return "ForwardingPolicy"; }
  const char* CompatibilityName() const override;
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override;
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override;

 private:
  const BlockForm form_;
  const PolicyPtr ours_;
};

// Keeps a copy of every filter block that RocksDB reads.
class CapturingPolicy final : public ForwardingPolicy {
 public:
  using ForwardingPolicy::ForwardingPolicy;

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override;

  std::vector<std::string> blocks() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return blocks_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::string> blocks_;
};

// Clears one bit of every filter between Finish and MaybePostVerify, as
// defective memory may do.
class DamagingPolicy final : public ForwardingPolicy {
 public:
  explicit DamagingPolicy(PolicyPtr ours = OurPolicy())
      : ForwardingPolicy(std::move(ours)) {}

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override;

  int num_cleared() const { return num_cleared_.load(); }

 private:
  mutable std::atomic<int> num_cleared_{0};
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_
