// SPDX-License-Identifier: Apache-2.0

// A stub of RocksDB: the version function, the only one that the loader calls,
// and the functions that libcassandra_bloom_replace.so replaces. Without
// STUB_RELEASE, a RocksDB before 6.19, which has no version function.

#include <cstdio>
#include <string>

#define EXPORTED __attribute__((visibility("default")))

namespace rocksdb {
class FilterPolicy;
EXPORTED const FilterPolicy* NewBloomFilterPolicy(double bits, bool flag);

const FilterPolicy* NewBloomFilterPolicy(double bits, bool flag) {
  std::printf("NewBloomFilterPolicy(%g, %d)\n", bits, flag ? 1 : 0);
  return nullptr;
}

#ifdef STUB_RELEASE
EXPORTED std::string GetRocksVersionAsString(bool with_patch);

std::string GetRocksVersionAsString(bool with_patch) {
  return std::string(STUB_RELEASE) + (with_patch ? ".9" : "");
}
#endif
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
