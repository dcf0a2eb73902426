// SPDX-License-Identifier: Apache-2.0

// A program that is linked to RocksDB and to librocksdb_cassandra_bloom.

#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/object_registry.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"

namespace {

std::string IdOf(const rocksdb::FilterPolicy* policy) {
  const std::unique_ptr<const rocksdb::FilterPolicy> owner(policy);
  return policy == nullptr ? "none" : policy->GetId();
}

}  // namespace

int main() {
  rocksdb::ObjectLibrary library("test");
  const int registered = register_cassandra_bloom(library, "");
  std::printf("%s %s %d\n", IdOf(rocksdb::NewCassandraBloomPolicy(12)).c_str(),
              IdOf(rocksdb::NewCassandraBloomPolicyForFpChance(0.1)).c_str(),
              registered);
}
