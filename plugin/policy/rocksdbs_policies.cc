// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <climits>
#include <new>
#include <optional>
#include <vector>

#include "plugin/filter/sizing.h"
#include "plugin/policy/block_form.h"

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

RocksdbsPolicies::RocksdbsPolicies(const PolicySettings& settings) {
  if (settings.block_form != BlockForm::kBesideRocksdb) {
    return;
  }
  reading_ = NewPolicy(FilterType::kBloom, 10000);
  std::vector<std::optional<Sizing>> sizings = settings.sizing.levels;
  sizings.push_back(settings.sizing.bottommost);
  for (const FilterType type : {settings.filter, settings.universal_filter,
                                settings.bottommost_filter}) {
    for (const std::optional<Sizing>& sizing : sizings) {
      if (type != FilterType::kCassandra && sizing) {
        Policy& policy = policies_[{type, sizing->millibits_per_key}];
        if (policy == nullptr) {
          policy = NewPolicy(type, sizing->millibits_per_key);
        }
      }
    }
  }
}

FilterBitsBuilder* RocksdbsPolicies::NewBuilder(
    FilterType type, int32_t millibits_per_key,
    const FilterBuildingContext& context) const try {
  return policies_.at({type, millibits_per_key})
      ->GetBuilderWithContext(
          type == FilterType::kBloom ? WhereBloomIsMade(context) : context);
} catch (const std::bad_alloc&) {
  return nullptr;
}

FilterBitsReader* RocksdbsPolicies::NewReader(const Slice& contents) const try {
  return reading_->GetFilterBitsReader(contents);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace cassandra_bloom
