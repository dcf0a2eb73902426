// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/test_policies.h"

#include "plugin/filter/filter_db_layout.h"
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

// Returns false if no bit is set.
bool ClearOneBit(const rocksdb::Slice& block) {
  auto* const bytes = const_cast<char*>(block.data());
  for (size_t i = kFilterDbHeaderSize; i < block.size(); ++i) {
    if (bytes[i] != 0) {
      bytes[i] = static_cast<char>(bytes[i] & (bytes[i] - 1));
      return true;
    }
  }
  return false;
}

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

DamagingPolicy::DamagingPolicy(const PolicyPtr& policy)
    : ChangingPolicy(policy, [this](const rocksdb::Slice& block) {
        num_cleared_ += ClearOneBit(block) ? 1 : 0;
        return block;
      }) {}

}  // namespace cassandra_bloom::testing
