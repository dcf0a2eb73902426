// SPDX-License-Identifier: Apache-2.0

// Policies that let another policy build and read the filters.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_

#include <rocksdb/filter_policy.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/rocksdb/forwarding_builder.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// Has a name of its own. RocksDB records this name, and the CompatibilityName
// of the other policy.
class NamedPolicy : public rocksdb::FilterPolicy {
 public:
  NamedPolicy(std::string name, PolicyPtr policy)
      : name_(std::move(name)), policy_(std::move(policy)) {}

  const char* Name() const override { return name_.c_str(); }
  const char* CompatibilityName() const override {
    return policy_->CompatibilityName();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override {
    return policy_->GetFilterBitsReader(contents);
  }

 private:
  const std::string name_;
  const PolicyPtr policy_;
};

// Keeps a copy of every filter block that RocksDB reads.
class CapturingPolicy final : public NamedPolicy {
 public:
  explicit CapturingPolicy(PolicyPtr policy)
      : NamedPolicy("CapturingPolicy", std::move(policy)) {}

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_.push_back(contents.ToString());
    }
    return NamedPolicy::GetFilterBitsReader(contents);
  }

  std::vector<std::string> blocks() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return blocks_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::string> blocks_;
};

// Changes every filter between Finish and MaybePostVerify.
class ChangingPolicy : public NamedPolicy {
 public:
  // Returns the replacement of a finished block.
  using Change = std::function<rocksdb::Slice(const rocksdb::Slice& block)>;

  ChangingPolicy(const PolicyPtr& policy, Change change)
      : NamedPolicy(policy->Name(), policy), change_(std::move(change)) {}

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return new Builder(NamedPolicy::GetBuilderWithContext(context), change_);
  }

 private:
  class Builder final : public ForwardingBuilder {
   public:
    Builder(FilterBitsBuilder* builder, const Change& change)
        : ForwardingBuilder(builder), change_(change) {}

    using ForwardingBuilder::Finish;
    Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
      return change_(ForwardingBuilder::Finish(buf, status));
    }

   private:
    const Change& change_;
  };

  const Change change_;
};

// Returns a policy that replaces every filter by `block`.
inline PolicyPtr ReplacingPolicy(const PolicyPtr& policy,
                                 const std::string& block) {
  return std::make_shared<ChangingPolicy>(
      policy, [block](const auto&) { return rocksdb::Slice(block); });
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_POLICIES_H_
