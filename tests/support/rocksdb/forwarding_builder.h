// SPDX-License-Identifier: Apache-2.0

// Forwards every call to another filter builder.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FORWARDING_BUILDER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FORWARDING_BUILDER_H_

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <memory>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::testing {

class ForwardingBuilder : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
  using Slice = ROCKSDB_NAMESPACE::Slice;
  using Status = ROCKSDB_NAMESPACE::Status;

  explicit ForwardingBuilder(FilterBitsBuilder* builder) : builder_(builder) {}

  void AddKey(const Slice& key) override { builder_->AddKey(key); }
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    builder_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override {
    return builder_->EstimateEntriesAdded();
  }
  Slice Finish(std::unique_ptr<const char[]>* buf) final {
    return Finish(buf, nullptr);
  }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return builder_->Finish(buf, status);
  }
  Status MaybePostVerify(const Slice& filter_content) override {
    return builder_->MaybePostVerify(filter_content);
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return builder_->ApproximateNumEntries(bytes);
  }
#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  size_t CalculateSpace(size_t num_entries) override {
    return builder_->CalculateSpace(num_entries);
  }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return builder_->EstimatedFpRate(num_entries, bytes);
  }
#endif

 private:
  const std::unique_ptr<FilterBitsBuilder> builder_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FORWARDING_BUILDER_H_
