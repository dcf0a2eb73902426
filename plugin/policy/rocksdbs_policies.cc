// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <locale.h>
#include <rocksdb/convenience.h>

#include <new>
#include <string>

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

// While this object exists, its thread reads numbers with a decimal point.
// RocksDB reads numbers in options strings by strtod, which depends on the
// locale.
class DecimalPoint {
 public:
  DecimalPoint()
      : c_locale_(newlocale(LC_ALL_MASK, "C", nullptr)),
        before_(c_locale_ != nullptr ? uselocale(c_locale_) : nullptr) {}
  ~DecimalPoint() {
    if (c_locale_ != nullptr) {
      uselocale(before_);
      freelocale(c_locale_);
    }
  }
  DecimalPoint(const DecimalPoint&) = delete;
  DecimalPoint& operator=(const DecimalPoint&) = delete;

 private:
  const locale_t c_locale_;
  const locale_t before_;
};

// Makes a policy of RocksDB. Makes a Bloom policy from a string, because
// NewBloomFilterPolicy may be replaced. libcassandra_bloom_replace.so replaces
// it by a function that makes our policy. Our policy would then need a Bloom
// policy in turn, without end.
//
// From a string, RocksDB makes a Bloom policy with `new`. It calls
// NewBloomFilterPolicy only for bloomfilter:10:true
// (RegisterBuiltinFilterPolicies in table/block_based/filter_policy.cc, in
// 7.1.2, 7.8.3, 8.11.4, 9.10.0, 10.10.1 and 11.8.1).
std::shared_ptr<const FilterPolicy> NewPolicy(FilterType type,
                                              int32_t millibits_per_key) {
  const double bits_per_key = millibits_per_key / 1000.0;
  std::shared_ptr<const FilterPolicy> policy;
  if (type == FilterType::kRibbon) {
    // With `bloom_before_level` 0, RocksDB makes Bloom filters in flushed files
    // and Ribbon filters in all others. In FIFO compaction it makes only Ribbon
    // filters.
    policy.reset(ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(
        bits_per_key, /*bloom_before_level=*/0));
    return policy;
  }
  const DecimalPoint decimal_point;
  const Status status = FilterPolicy::CreateFromString(
      ConfigOptions(), "bloomfilter:" + FormatNumber(bits_per_key), &policy);
  return status.ok() ? policy : nullptr;
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
  const FilterPolicy* const policy = For(type, millibits_per_key);
  return policy == nullptr ? nullptr : policy->GetBuilderWithContext(context);
} catch (const std::bad_alloc&) {
  return nullptr;
}

FilterBitsReader* RocksdbsPolicies::NewReader(const Slice& contents) try {
  const FilterPolicy* const any = For(FilterType::kBloom, 10000);
  return any == nullptr ? nullptr : any->GetFilterBitsReader(contents);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace cassandra_bloom
