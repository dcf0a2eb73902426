// SPDX-License-Identifier: Apache-2.0

// A library that is loaded before RocksDB and gives Cassandra's filter to
// RocksDB's own tests (rocksdb_filter_tests.sh).

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "table/block_based/filter_policy_internal.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// The bits per key that a policy `mix` takes.
constexpr double kMinMixBits = 1;
constexpr double kMaxMixBits = 100;

const FilterPolicy* NewPolicy(double bits_per_key) {
  const char* const path = std::getenv("CASSANDRA_BLOOM_POLICY_MADE");
  if (path != nullptr) {
    if (std::FILE* const file = std::fopen(path, "w")) {
      std::fclose(file);
    }
  }
  const char* const variable = std::getenv("CASSANDRA_BLOOM_FORM");
  const std::string form = variable == nullptr ? "" : variable;
  if (form == "plain") {
    return NewCassandraBloomPolicy(bits_per_key);
  }
  if (form == "mix" && bits_per_key >= kMinMixBits &&
      bits_per_key <= kMaxMixBits) {
    return NewCassandraBloomMixPolicy(bits_per_key);
  }
  if (form == "mix" || form == "blocks:rocksdb") {
    return NewCassandraBloomPolicyBesideRocksdb(bits_per_key);
  }
  std::fprintf(stderr, "there is no form '%s'\n", form.c_str());
  std::abort();
}

}  // namespace

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool /*use_block_based_builder*/) {
  return NewPolicy(bits_per_key);
}

// Also replaces RocksDB's Ribbon policy.
std::shared_ptr<const FilterPolicy> BloomLikeFilterPolicy::Create(
    const std::string& /*name*/, double bits_per_key) {
  return std::shared_ptr<const FilterPolicy>(NewPolicy(bits_per_key));
}

}  // namespace ROCKSDB_NAMESPACE
