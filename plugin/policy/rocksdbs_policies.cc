// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <climits>
#include <new>

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

// For Bloom filters, too, makes a Ribbon policy, for two reasons:
//
// - NewBloomFilterPolicy may be replaced. libcassandra_bloom_replace.so
//   replaces it by a function that makes our policy. Our policy would then need
//   a Bloom policy in turn, without end.
// - With format_version below 5, RocksDB's Bloom policy makes its old Bloom
//   filters, of whole bits per key. A Ribbon policy never does.
//
// With `bloom_before_level` 0, RocksDB makes Bloom filters in flushed files and
// Ribbon filters in all others. In FIFO compaction it makes only Ribbon
// filters.
std::shared_ptr<const FilterPolicy> NewPolicy(FilterType type,
                                              int32_t millibits_per_key) {
  const int bloom_before_level = type == FilterType::kBloom ? INT_MAX : 0;
  return std::shared_ptr<const FilterPolicy>(
      ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(millibits_per_key / 1000.0,
                                               bloom_before_level));
}

// Returns a place where a Ribbon policy with `bloom_before_level` INT_MAX makes
// a Bloom filter. In FIFO compaction and in files without a level, RocksDB 7.8
// makes Ribbon filters even then (RibbonFilterPolicy::GetBuilderWithContext in
// table/block_based/filter_policy.cc).
FilterBuildingContext WhereBloomIsMade(const FilterBuildingContext& context) {
  FilterBuildingContext place = context;
  place.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  place.level_at_creation = 0;
  return place;
}

}  // namespace

const FilterPolicy* RocksdbsPolicies::For(FilterType type,
                                          int32_t millibits_per_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& policy = policies_[{type, millibits_per_key}];
  if (policy == nullptr) {
    policy = NewPolicy(type, millibits_per_key);
  }
  return policy.get();
}

FilterBitsBuilder* RocksdbsPolicies::NewBuilder(
    FilterType type, int32_t millibits_per_key,
    const FilterBuildingContext& context) try {
  return For(type, millibits_per_key)
      ->GetBuilderWithContext(
          type == FilterType::kBloom ? WhereBloomIsMade(context) : context);
} catch (const std::bad_alloc&) {
  return nullptr;
}

FilterBitsReader* RocksdbsPolicies::NewReader(const Slice& contents) try {
  return For(FilterType::kRibbon, 10000)->GetFilterBitsReader(contents);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace cassandra_bloom
