// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/test_policies.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "plugin/filter/block_layout.h"
#include "tests/support/rocksdb/forwarding_builder.h"

namespace cassandra_bloom::testing {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

// Returns false if no bit is set.
bool ClearOneBit(char* block, size_t size) {
  for (size_t byte = kFilterDbHeaderSize; byte < size; ++byte) {
    if (block[byte] != 0) {
      block[byte] = static_cast<char>(block[byte] & (block[byte] - 1));
      return true;
    }
  }
  return false;
}

// Takes a finished block, which *buf owns, and returns its replacement.
using Change =
    std::function<Slice(Slice content, std::unique_ptr<const char[]>* buf)>;

class ChangingBuilder final : public ForwardingBuilder {
 public:
  ChangingBuilder(FilterBitsBuilder* builder, Change change)
      : ForwardingBuilder(builder), change_(std::move(change)) {}

  using ForwardingBuilder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return change_(ForwardingBuilder::Finish(buf, status), buf);
  }

 private:
  const Change change_;
};

}  // namespace

ForwardingPolicy::ForwardingPolicy(BlockForm form)
    : form_(form),
      ours_(form == BlockForm::kFilterDb ? OurPolicy()
                                         : OurPolicyBesideRocksdb()) {}

ForwardingPolicy::ForwardingPolicy(PolicyPtr ours)
    : form_(ours->CompatibilityName() == std::string("cassandra_bloom")
                ? BlockForm::kFilterDb
                : BlockForm::kBesideRocksdb),
      ours_(std::move(ours)) {}

const char* ForwardingPolicy::CompatibilityName() const {
  return form_ == BlockForm::kFilterDb ? "cassandra_bloom"
                                       : "rocksdb.BuiltinBloomFilter";
}

FilterBitsBuilder* ForwardingPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  return ours_->GetBuilderWithContext(context);
}

FilterBitsReader* ForwardingPolicy::GetFilterBitsReader(
    const Slice& contents) const {
  return ours_->GetFilterBitsReader(contents);
}

FilterBitsReader* CapturingPolicy::GetFilterBitsReader(
    const Slice& contents) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_.push_back(contents.ToString());
  }
  return ForwardingPolicy::GetFilterBitsReader(contents);
}

FilterBitsBuilder* DamagingPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  return new ChangingBuilder(
      ForwardingPolicy::GetBuilderWithContext(context),
      [this](Slice content, std::unique_ptr<const char[]>* buf) {
        num_cleared_ +=
            ClearOneBit(const_cast<char*>(buf->get()), content.size());
        return content;
      });
}

}  // namespace cassandra_bloom::testing
