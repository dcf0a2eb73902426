// SPDX-License-Identifier: Apache-2.0

// A library to preload that defines NewBloomFilterPolicy, as
// libcassandra_bloom_replace.so does. It calls the next definition.

#include <dlfcn.h>

#include <cstring>

namespace rocksdb {

class FilterPolicy;
__attribute__((visibility("default"))) const FilterPolicy* NewBloomFilterPolicy(
    double bits, bool flag);

const FilterPolicy* NewBloomFilterPolicy(double bits, bool flag) {
  void* const symbol = dlsym(RTLD_NEXT, "_ZN7rocksdb20NewBloomFilterPolicyEdb");
  decltype(NewBloomFilterPolicy)* next;
  std::memcpy(&next, &symbol, sizeof(symbol));
  const FilterPolicy* volatile policy = next(bits, flag);  // Not a tail call.
  return policy;
}

}  // namespace rocksdb
