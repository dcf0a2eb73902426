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
#include <utility>

#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom {

// One policy for each type of filter and number of bits per key that the
// settings name, and one that reads. They are kept for two reasons. RocksDB's
// builders point into their policy. A policy also balances the sizes of its
// filters over all files. Safe for concurrent use, because nothing changes
// after the constructor.
class RocksdbsPolicies {
 public:
  // Makes none if `settings` do not need RocksDB's filters.
  explicit RocksdbsPolicies(const PolicySettings& settings);

  // Return a builder and a reader that RocksDB's policy makes. The caller owns
  // them. `type` is kBloom or kRibbon, and `millibits_per_key` is in
  // thousandths of bits per key. For kRibbon it is the bits per key of a Bloom
  // filter with the same false positive rate, as in NewRibbonFilterPolicy. If
  // memory cannot be allocated, return nullptr. RocksDB then builds no filter,
  // or treats every key as a match.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      FilterType type, int32_t millibits_per_key,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  ROCKSDB_NAMESPACE::FilterBitsReader* NewReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const;

 private:
  using Policy = std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>;

  std::map<std::pair<FilterType, int32_t>, Policy> policies_;
  Policy reading_;  // All of RocksDB's policies read alike.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_ROCKSDBS_POLICIES_H_
