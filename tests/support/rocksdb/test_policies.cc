// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/test_policies.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "plugin/filter/block_layout.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::testing {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

// Flips the first bit of the filter that is in the state which `flip` starts
// from. False if there is none.
bool FlipOneBit(Flip flip, char* block, size_t size) {
  const bool from_set = flip == Flip::kSetToCleared;
  for (size_t byte = kFilterDbHeaderSize; byte < size; ++byte) {
    for (int mask = 1; mask < 0x100; mask <<= 1) {
      if (((block[byte] & mask) != 0) == from_set) {
        block[byte] = static_cast<char>(block[byte] ^ mask);
        return true;
      }
    }
  }
  return false;
}

// What becomes of a finished block, which is in `*buf`.
using Change =
    std::function<Slice(Slice content, std::unique_ptr<const char[]>* buf)>;

class ChangingBuilder final : public FilterBitsBuilder {
 public:
  ChangingBuilder(FilterBitsBuilder* builder, Change change)
      : builder_(builder), change_(std::move(change)) {}

  void AddKey(const Slice& key) override { builder_->AddKey(key); }
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    builder_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override {
    return builder_->EstimateEntriesAdded();
  }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    return Finish(buf, nullptr);
  }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return change_(builder_->Finish(buf, status), buf);
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
  const Change change_;
};

}  // namespace

const char* ForwardingPolicy::CompatibilityName() const {
  return "cassandra_bloom";
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
        if (flip_ != Flip::kNone &&
            FlipOneBit(flip_, const_cast<char*>(buf->get()), content.size())) {
          ++num_flipped_;
        }
        return content;
      });
}

FilterBitsBuilder* ImportingPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  return new ChangingBuilder(
      ForwardingPolicy::GetBuilderWithContext(context),
      [this](Slice content, std::unique_ptr<const char[]>*) {
        return ++num_built_ % every_ == 0 ? Slice(block_) : content;
      });
}

}  // namespace cassandra_bloom::testing
