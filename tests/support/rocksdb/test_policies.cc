// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/test_policies.h"

#include "tests/support/rocksdb/forwarding_builder.h"

namespace cassandra_bloom::testing {
namespace {

class ChangingBuilder final : public ForwardingBuilder {
 public:
  ChangingBuilder(FilterBitsBuilder* builder,
                  const ChangingPolicy::Change& change)
      : ForwardingBuilder(builder), change_(change) {}

  using ForwardingBuilder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return change_(ForwardingBuilder::Finish(buf, status));
  }

 private:
  const ChangingPolicy::Change& change_;
};

}  // namespace

rocksdb::FilterBitsReader* CapturingPolicy::GetFilterBitsReader(
    const rocksdb::Slice& contents) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_.push_back(contents.ToString());
  }
  return NamedPolicy::GetFilterBitsReader(contents);
}

rocksdb::FilterBitsBuilder* ChangingPolicy::GetBuilderWithContext(
    const rocksdb::FilterBuildingContext& context) const {
  return new ChangingBuilder(NamedPolicy::GetBuilderWithContext(context),
                             change_);
}

}  // namespace cassandra_bloom::testing
