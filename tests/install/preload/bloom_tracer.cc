// SPDX-License-Identifier: Apache-2.0

// A library to preload that defines NewBloomFilterPolicy, like
// libcassandra_bloom_replace.so. The function calls the next definition of
// NewBloomFilterPolicy.

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
  // A volatile variable prevents a tail call, which would hide this library as
  // the caller.
  const FilterPolicy* volatile policy = next(bits, flag);
  return policy;
}

}  // namespace rocksdb
