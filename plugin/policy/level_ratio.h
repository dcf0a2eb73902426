// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_LEVEL_RATIO_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_LEVEL_RATIO_H_

#include <rocksdb/options.h>

#include <atomic>
#include <optional>

namespace cassandra_bloom {

// How many times as large as the level above each level is: RocksDB's
// max_bytes_for_level_multiplier. ValidateOptions tells it to a policy in
// DB::Open. Safe for concurrent use.
class LevelRatio {
 public:
  // Takes the options of a column family as ValidateOptions gets them.
  void See(const ROCKSDB_NAMESPACE::DBOptions& db_options,
           const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options);

  // Returns the smallest ratio of all column families seen, because the last
  // level then gets the fewest bits, and no column family takes more memory
  // than the average (but for the last level's least bit per key). Returns
  // nullopt if no leveled column family was seen, or if one was seen whose
  // levels are not filled from the last one up. RocksDB does not tell which
  // column family a file is written for.
  std::optional<double> Get() const;

 private:
  // Neither is ever reset, because RocksDB does not tell which column family it
  // validates. 0: none.
  std::atomic<double> smallest_{0};
  std::atomic<bool> has_static_levels_{false};
};

// Returns the ratio that counts for a max_bytes_for_level_multiplier. RocksDB
// validates options as they are given, so the multiplier may be any number.
double LevelRatioOf(double multiplier);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_LEVEL_RATIO_H_
