// SPDX-License-Identifier: Apache-2.0

// Stubs of the functions of RocksDB that libcassandra_bloom_replace.so
// replaces.

#include <cstdio>

#define EXPORTED __attribute__((visibility("default")))

namespace rocksdb {
class FilterPolicy;
EXPORTED const FilterPolicy* NewBloomFilterPolicy(double bits, bool flag);

const FilterPolicy* NewBloomFilterPolicy(double bits, bool flag) {
  std::printf("NewBloomFilterPolicy(%g, %d)\n", bits, flag ? 1 : 0);
  return nullptr;
}
}  // namespace rocksdb

extern "C" {
EXPORTED void* rocksdb_filterpolicy_create_bloom(double bits);
EXPORTED void* rocksdb_filterpolicy_create_bloom_full(double bits);

void* rocksdb_filterpolicy_create_bloom(double bits) {
  std::printf("create_bloom(%g)\n", bits);
  return nullptr;
}

void* rocksdb_filterpolicy_create_bloom_full(double bits) {
  std::printf("create_bloom_full(%g)\n", bits);
  return nullptr;
}
}
