// Loaded before RocksDB's own tests of filters, it makes the Bloom filters that
// they ask for ours: see rocksdb_filter_tests.sh.

#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "table/block_based/filter_policy_internal.h"

namespace ROCKSDB_NAMESPACE {

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool /*use_block_based_builder*/) {
  return NewCassandraBloomPolicy(bits_per_key);
}

// Whichever of the built-in implementations it names.
std::shared_ptr<const FilterPolicy> BloomLikeFilterPolicy::Create(
    const std::string& /*name*/, double bits_per_key) {
  return std::shared_ptr<const FilterPolicy>(
      NewCassandraBloomPolicy(bits_per_key));
}

}  // namespace ROCKSDB_NAMESPACE
