// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/empty_filter_policy.h"

#include <algorithm>

#include "db_bench_ext/filter_bench/plain_bits_builder.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

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

}  // namespace

const FilterPolicy* NewEmptyFilterPolicy() { return new EmptyFilterPolicy(); }

}  // namespace cassandra_bloom::bench
