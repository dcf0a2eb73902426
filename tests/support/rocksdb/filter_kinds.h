// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_KINDS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_KINDS_H_

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/forwarding_builder.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// A policy with a name of its own, which lets another policy build the filters.
// RocksDB records the name, and the CompatibilityName of the other policy.
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

inline bool AllBlocks(int /*number*/) { return true; }

// Replaces a filter block with `block` if `replaces` returns true for the
// number of the filter block. The first filter block that is built has
// number 1.
class ReplacingPolicy final : public NamedPolicy {
 public:
  ReplacingPolicy(const PolicyPtr& policy, std::string block,
                  bool (*replaces)(int number) = AllBlocks)
      : NamedPolicy(policy->Name(), policy),
        block_(std::move(block)),
        replaces_(replaces) {}

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return new Builder(NamedPolicy::GetBuilderWithContext(context), *this);
  }

 private:
  class Builder final : public ForwardingBuilder {
   public:
    Builder(FilterBitsBuilder* builder, const ReplacingPolicy& policy)
        : ForwardingBuilder(builder), policy_(policy) {}

    using ForwardingBuilder::Finish;
    Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
      const Slice block = ForwardingBuilder::Finish(buf, status);
      return policy_.replaces_(++policy_.num_built_) ? Slice(policy_.block_)
                                                     : block;
    }

   private:
    const ReplacingPolicy& policy_;
  };

  const std::string block_;
  bool (*const replaces_)(int number);
  mutable std::atomic<int> num_built_{0};
};

inline PolicyPtr PolicyBesideRocksdb() {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicyBesideRocksdb(10));
}

// Returns a policy that builds Ribbon filters at every level.
inline PolicyPtr RibbonPolicy() {
  return PolicyPtr(
      rocksdb::NewRibbonFilterPolicy(10, /*bloom_before_level=*/-1));
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_KINDS_H_
