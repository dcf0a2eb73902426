// SPDX-License-Identifier: Apache-2.0

// RocksDB's own filter policies, to which our policy passes on what they are
// to build or to read.
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

// Makes one policy for each type of filter and number of bits per key, and
// keeps it: RocksDB's builders point into their policy, and a policy balances
// the sizes of its filters over all files. Safe for concurrent use.
class RocksdbsPolicies {
 public:
  // Returns the policy that builds filters of this type, which is kBloom or
  // kRibbon. Returns nullptr if RocksDB does not make one. `millibits_per_key`:
  // for Ribbon, the thousandths of bits per key of a Bloom filter with the same
  // false positive rate, as RocksDB's own parameter means it.
  const ROCKSDB_NAMESPACE::FilterPolicy* For(FilterType type,
                                             int32_t millibits_per_key);

  // The builder and the reader that RocksDB's policy makes. The caller owns
  // them. RocksDB allocates them with a throwing `new`; these functions return
  // nullptr instead, which RocksDB takes for "no filter" and "every key
  // matches". A reader goes by the block alone, so it reads any of RocksDB's
  // filters.
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
