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

enum class Flip { kNone, kClearedToSet, kSetToCleared };

// Flips one bit of every filter between Finish and MaybePostVerify, as
// defective memory may do.
class DamagingPolicy final : public ForwardingPolicy {
 public:
  explicit DamagingPolicy(Flip flip, PolicyPtr ours = OurPolicy())
      : ForwardingPolicy(std::move(ours)), flip_(flip) {}

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override;

  int num_flipped() const { return num_flipped_.load(); }

 private:
  const Flip flip_;
  mutable std::atomic<int> num_flipped_{0};
};

// Replaces every block whose number is a multiple of `every` with `block`.
class ImportingPolicy final : public ForwardingPolicy {
 public:
  explicit ImportingPolicy(std::string block, int every = 1)
      : block_(std::move(block)), every_(every) {}

  // Returns the name cassandra_bloom. RocksDB 7.8 writes the result of Name
  // into the SST file, and sst_filters looks for cassandra_bloom there.
  const char* Name() const override { return CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override;

 private:
  const std::string block_;
  const int every_;
  mutable std::atomic<int> num_built_{0};
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_
