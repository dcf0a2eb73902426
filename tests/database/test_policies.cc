#include "tests/database/test_policies.h"

#include <cstdint>
#include <memory>

#include "plugin/core/filter_db.h"
#include "plugin/rocksdb/filter_bits_api.h"

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

class DamagingBuilder final : public FilterBitsBuilder {
 public:
  DamagingBuilder(FilterBitsBuilder* builder, Flip flip,
                  std::atomic<int>* num_flipped)
      : builder_(builder), flip_(flip), num_flipped_(num_flipped) {}

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
    const Slice content = builder_->Finish(buf, status);
    if (flip_ != Flip::kNone &&
        FlipOneBit(flip_, const_cast<char*>(buf->get()), content.size())) {
      ++*num_flipped_;
    }
    return content;
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
  const Flip flip_;
  std::atomic<int>* const num_flipped_;
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
  return new DamagingBuilder(ForwardingPolicy::GetBuilderWithContext(context),
                             flip_, &num_flipped_);
}

}  // namespace cassandra_bloom::testing
