// SPDX-License-Identifier: Apache-2.0

// The functions of the public header that make a policy.

#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy.h"
#include "plugin/policy/policy_options.h"
#include "plugin/policy/running_rocksdb.h"

namespace cassandra_bloom {
namespace {

const ROCKSDB_NAMESPACE::FilterPolicy* NewPolicyWith(
    const PolicySettings& settings) {
  return RocksdbReleaseMatches() ? new CassandraBloomPolicy(settings) : nullptr;
}

// Returns the settings of a string, because fp_chance 0 is an error in a
// string, but in CassandraBloomOptions it means that no chance is given.
PolicySettings SettingsOfString(const char* before, double number) {
  return SettingsOf(kPolicyName + (before + FormatNumber(number)));
}

}  // namespace
}  // namespace cassandra_bloom

namespace ROCKSDB_NAMESPACE {

using cassandra_bloom::NewPolicyWith;
using cassandra_bloom::SettingsOfString;

const FilterPolicy* NewCassandraBloomPolicy(double bits_per_key) {
  CassandraBloomOptions options;
  options.bits_per_key = bits_per_key;
  return NewCassandraBloomPolicyFromOptions(options);
}

const FilterPolicy* NewCassandraBloomPolicyBesideRocksdb(double bits_per_key) {
  CassandraBloomOptions options;
  options.bits_per_key = bits_per_key;
  options.blocks = "rocksdb";
  return NewCassandraBloomPolicyFromOptions(options);
}

const FilterPolicy* NewCassandraBloomMixPolicy(double bits_per_key) {
  return NewPolicyWith(SettingsOfString(":mix:", bits_per_key));
}

const FilterPolicy* NewCassandraBloomPolicyForFpChance(double fp_chance) {
  return NewPolicyWith(SettingsOfString(":fp:", fp_chance));
}

const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options) {
  return NewPolicyWith(cassandra_bloom::Compile(options));
}

}  // namespace ROCKSDB_NAMESPACE
