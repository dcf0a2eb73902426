// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/plain_filter_policies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "plugin/filter/block_layout.h"
#include "plugin/filter/sizing.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/support/plain_bits.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

// Implements what RocksDB requires of a builder besides AddKey and Finish.
class PlainBitsBuilder : public FilterBitsBuilder {
 public:
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    AddKey(alt);
    AddKey(key);
  }
#endif
  size_t EstimateEntriesAdded() override { return 0; }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    *status = Status::OK();
    return Finish(buf);
  }
  Slice Finish(std::unique_ptr<const char[]>* buf) override = 0;
  size_t ApproximateNumEntries(size_t /*bytes*/) override { return 0; }
#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  size_t CalculateSpace(size_t /*num_entries*/) override { return 0; }
  double EstimatedFpRate(size_t /*num_entries*/, size_t /*bytes*/) override {
    return 0;
  }
#endif
};

// ---- The empty filter ----

class EmptyBitsBuilder final : public PlainBitsBuilder {
 public:
  using PlainBitsBuilder::Finish;

  void AddKey(const Slice& /*key*/) override {}
  Slice Finish(std::unique_ptr<const char[]>* /*buf*/) override {
    return Slice();
  }
};

class EmptyBitsReader final : public FilterBitsReader {
 public:
  bool MayMatch(const Slice& /*entry*/) override { return true; }
  void MayMatch(int num_keys, Slice** /*keys*/, bool* may_match) override {
    std::fill_n(may_match, num_keys, true);
  }
};

class EmptyFilterPolicy final : public FilterPolicy {
 public:
  const char* Name() const override { return "empty"; }
  const char* CompatibilityName() const override { return Name(); }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return new EmptyBitsBuilder();
  }
  FilterBitsReader* GetFilterBitsReader(
      const Slice& /*contents*/) const override {
    return new EmptyBitsReader();
  }
};

// ---- The naive filter ----

// This is not a std::pair, because adding elements to a std::vector of pairs
// takes more time.
struct Hash {
  uint64_t h1;
  uint64_t h2;
};

class NaiveBitsBuilder final : public PlainBitsBuilder {
 public:
  using PlainBitsBuilder::Finish;

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

const FilterPolicy* NewEmptyFilterPolicy() { return new EmptyFilterPolicy(); }

const FilterPolicy* NewNaiveFilterPolicy(double bits_per_key) {
  return new NaiveFilterPolicy(SizingForBitsPerKey(bits_per_key).value());
}

}  // namespace cassandra_bloom::bench
