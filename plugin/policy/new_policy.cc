// SPDX-License-Identifier: Apache-2.0

// The functions of the public header that make a policy.

#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy.h"
#include "plugin/policy/policy_options.h"
#include "plugin/policy/running_rocksdb.h"

namespace ROCKSDB_NAMESPACE {

using cassandra_bloom::CassandraBloomPolicy;
using cassandra_bloom::FormatNumber;
using cassandra_bloom::kPolicyName;
using cassandra_bloom::RocksdbReleaseMatches;

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

// The next two make the policy from a string, because a string is checked more
// strictly than CassandraBloomOptions: fp_chance 0 is an error in it.
const FilterPolicy* NewCassandraBloomMixPolicy(double bits_per_key) {
  return RocksdbReleaseMatches()
             ? new CassandraBloomPolicy(std::string(kPolicyName) +
                                        ":mix:" + FormatNumber(bits_per_key))
             : nullptr;
}

const FilterPolicy* NewCassandraBloomPolicyForFpChance(double fp_chance) {
  return RocksdbReleaseMatches()
             ? new CassandraBloomPolicy(std::string(kPolicyName) +
                                        ":fp:" + FormatNumber(fp_chance))
             : nullptr;
}

const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options) {
  return RocksdbReleaseMatches() ? new CassandraBloomPolicy(options) : nullptr;
}

}  // namespace ROCKSDB_NAMESPACE
