// SPDX-License-Identifier: Apache-2.0

// Parses and checks a filter_policy string of this library:
//
//   cassandra_bloom                  10 bits per key
//   cassandra_bloom:BITS             bits per key, 0 ... 100
//   cassandra_bloom:fp:CHANCE        Cassandra's bloom_filter_fp_chance
//   cassandra_bloom:mix:BITS         bits per key on average, more of them in
//                                    small levels, with RocksDB's Ribbon filter
//                                    in the last level; no option may follow
//
// These options may follow the first three forms. level_bits or level_fp_chance
// then stands instead of BITS or fp:CHANCE:
//
//   :level_bits:LIST :level_fp_chance:LIST
//   :bottommost_bits:BITS :bottommost_fp_chance:CHANCE
//   :allocation:monkey :size_ratio:NUMBER :bottom_level:LEVEL
//   :filter:TYPE :bottommost_filter:TYPE :blocks:rocksdb
//   :partition_key:EXTRACTOR
//
// All settings can also be options beside the name, such as
// {id=cassandra_bloom;bits_per_key=BITS}. No setting may be given twice.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_STRING_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_STRING_H_

#include <string>
#include <unordered_map>

#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom {

class PolicyString {
 public:
  explicit PolicyString(const std::string& id);

  // Returns the settings of the string alone. If the string is wrong, the id of
  // the settings is the string itself. But if RocksDB's options parser would
  // change the string, the id is that of RefusedSettings.
  PolicySettings Settings() const;

  // Returns the settings of the string and of `options`, which stand beside it.
  PolicySettings SettingsWith(
      const std::unordered_map<std::string, std::string>& options) const;

 private:
  PolicySettings Check() const;
  std::string UnknownName() const;
  void Split();
  void SplitSize(const std::string& size);
  void Give(const std::string& name, const std::string& value);

  std::string id_;
  OptionTexts given_;
  bool is_given_twice_ = false;
  bool is_ours_ = false;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_STRING_H_
