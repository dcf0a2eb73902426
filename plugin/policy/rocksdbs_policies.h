// SPDX-License-Identifier: Apache-2.0

// RocksDB's own filter policies. Our policy lets them build and read RocksDB's
// own types of filters.
//
// Tested in tests/policy/rocksdbs_policies_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_ROCKSDBS_POLICIES_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_ROCKSDBS_POLICIES_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom {

// Makes one policy for each type of filter and number of bits per key. Keeps
// each policy for two reasons. RocksDB's builders point into their policy. A
// policy also balances the sizes of its filters over all files. Safe for
// concurrent use.
class RocksdbsPolicies {
 public:
  // Returns the policy that builds filters of this type, kBloom or kRibbon.
  // `millibits_per_key` is in thousandths of bits per key. For kRibbon it is
  // the bits per key of a Bloom filter with the same false positive rate, as in
  // NewRibbonFilterPolicy.
  const ROCKSDB_NAMESPACE::FilterPolicy* For(FilterType type,
                                             int32_t millibits_per_key);

  // Return a builder and a reader that RocksDB's policy makes. The caller owns
  // them. If memory cannot be allocated, return nullptr. RocksDB then builds no
  // filter, or treats every key as a match.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      FilterType type, int32_t millibits_per_key,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  ROCKSDB_NAMESPACE::FilterBitsReader* NewReader(
      const ROCKSDB_NAMESPACE::Slice& contents);

 private:
  std::mutex mutex_;
  std::map<std::pair<FilterType, int32_t>,
           std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>>
      policies_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_ROCKSDBS_POLICIES_H_
