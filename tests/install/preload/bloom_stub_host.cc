// SPDX-License-Identifier: Apache-2.0

// Calls every function of rocksdb_stub.cc.

namespace rocksdb {
class FilterPolicy;
const FilterPolicy* NewBloomFilterPolicy(double bits, bool flag);
}  // namespace rocksdb

extern "C" {
void* rocksdb_filterpolicy_create_bloom(double bits);
void* rocksdb_filterpolicy_create_bloom_full(double bits);
}

int main() {
  rocksdb::NewBloomFilterPolicy(9.9, true);
  rocksdb::NewBloomFilterPolicy(-1, false);
  rocksdb_filterpolicy_create_bloom(10);
  rocksdb_filterpolicy_create_bloom_full(16);
}
