// SPDX-License-Identifier: Apache-2.0

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

#include "db_bench_ext/filter_bench/filter_set.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/sizing.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/support/naive_filter.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

// This is not a std::pair, because adding elements to a std::vector of pairs
// takes more time.
struct Hash {
  uint64_t h1;
  uint64_t h2;
};

class NaiveBitsBuilder final : public FilterBitsBuilder {
 public:
  explicit NaiveBitsBuilder(Sizing sizing) : sizing_(sizing) {}

  void AddKey(const Slice& key) override {
    const auto [h1, h2] = testing::PlainHash(key.ToStringView());
    hashes_.push_back({h1, h2});
  }

  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    const uint32_t num_words = sizing_.NumWords(hashes_.size());
    const size_t size = FilterDbSize(num_words);
    std::unique_ptr<char[]> block(new char[size]());
    WriteFilterDbHeader(sizing_.num_probes, num_words, block.get());
    char* const bits = block.get() + kFilterDbHeaderSize;
    for (const auto& [h1, h2] : hashes_) {
      testing::AddToPlainBits(h1, h2, sizing_.num_probes, num_words, bits);
    }
    hashes_ = {};
    *buf = std::move(block);
    return Slice(buf->get(), size);
  }

  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    *status = Status::OK();
    return Finish(buf);
  }

  // The benchmark calls none of these.
  size_t EstimateEntriesAdded() override { return hashes_.size(); }
  size_t ApproximateNumEntries(size_t /*bytes*/) override { return 0; }
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    AddKey(alt);
    AddKey(key);
  }
#endif
#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  size_t CalculateSpace(size_t /*num_entries*/) override { return 0; }
  double EstimatedFpRate(size_t /*num_entries*/, size_t /*bytes*/) override {
    return 0;
  }
#endif

 private:
  const Sizing sizing_;
  std::vector<Hash> hashes_;
};

class NaiveBitsReader final : public FilterBitsReader {
 public:
  using FilterBitsReader::MayMatch;

  explicit NaiveBitsReader(const ParsedFilter& filter) : filter_(filter) {}

  bool MayMatch(const Slice& entry) override {
    const auto [h1, h2] = testing::PlainHash(entry.ToStringView());
    return testing::PlainBitsMayContain(h1, h2, filter_.num_probes,
                                        filter_.num_words, filter_.bits);
  }

 private:
  const ParsedFilter filter_;
};

class NaiveFilterPolicy final : public FilterPolicy {
 public:
  explicit NaiveFilterPolicy(Sizing sizing) : sizing_(sizing) {}

  const char* Name() const override { return "naive"; }
  const char* CompatibilityName() const override { return Name(); }

  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return new NaiveBitsBuilder(sizing_);
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    ParsedFilter filter;
    return ParseFilterDb(contents.data(), contents.size(), &filter)
               ? new NaiveBitsReader(filter)
               : nullptr;
  }

 private:
  const Sizing sizing_;
};

}  // namespace

std::shared_ptr<const FilterPolicy> NewNaiveFilterPolicy(
    const std::string& policy) {
  constexpr std::string_view kPrefix = "naive:";
  const char* const end = policy.data() + policy.size();
  double bits = 0;
  if (policy.rfind(kPrefix, 0) != 0) {
    return nullptr;
  }
  const auto read = std::from_chars(policy.data() + kPrefix.size(), end, bits);
  if (read.ec != std::errc() || read.ptr != end || !(bits >= 1) ||
      bits > kMaxBitsPerKey) {
    return nullptr;
  }
  return std::make_shared<NaiveFilterPolicy>(SizingForBitsPerKey(bits).value());
}

}  // namespace cassandra_bloom::bench
