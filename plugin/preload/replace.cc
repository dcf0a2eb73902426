// SPDX-License-Identifier: Apache-2.0

// Replaces RocksDB's Bloom filter by this one in programs that build their
// options in their code:
// LD_PRELOAD=libcassandra_bloom_replace.so oxigraph ...
//
// A preloaded library comes before librocksdb.so in the order in which the
// dynamic linker searches for a function. So its definitions of RocksDB's
// functions are called by the program and, as far as librocksdb.so calls them
// through its procedure linkage table, by RocksDB itself. docs/hosts.md lists
// which programs that reaches.
//
// Where there is no plugin for the RocksDB of the caller, the loader says so,
// and the caller's own function is called.

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "plugin/preload/load_plugin.h"

#define EXPORTED __attribute__((visibility("default")))

namespace rocksdb {
class FilterPolicy;
EXPORTED const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                  bool use_block_based_builder);
}  // namespace rocksdb

struct rocksdb_filterpolicy_t;
extern "C" {
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(
    double bits_per_key);
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    double bits_per_key);
}

namespace cassandra_bloom {
namespace {

constexpr char kNewBloom[] = "_ZN7rocksdb20NewBloomFilterPolicyEdb";

// const FilterPolicy* rocksdb::NewCassandraBloomPolicy(double bits_per_key)
constexpr char kNewOurs[] = "_ZN7rocksdb23NewCassandraBloomPolicyEd";

template <typename Function>
Function* As(void* symbol) {
  Function* function;
  std::memcpy(&function, &symbol, sizeof(symbol));
  return function;
}

// Whether the address is in this library.
bool IsOurs(void* address) {
  Dl_info here;
  Dl_info there;
  return dladdr(kNewBloom, &here) != 0 && dladdr(address, &there) != 0 &&
         here.dli_fbase == there.dli_fbase;
}

// Finds a function of the RocksDB that the code at `caller` uses. It is in the
// caller's library or in one that this library needs. For the main program, and
// for a library that leaves it to the program to bring RocksDB, it is the next
// one after ours. (RTLD_NEXT alone would not find a RocksDB that came into the
// process by dlopen with RTLD_LOCAL.) Returns nullptr if there is none.
void* FunctionFor(void* caller, const char* name) {
  Dl_info info;
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    void* const object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object != nullptr) {
      void* const symbol = dlsym(object, name);
      dlclose(object);
      if (symbol != nullptr && !IsOurs(symbol)) {
        return symbol;
      }
    }
  }
  return dlsym(RTLD_NEXT, name);
}

using NewPolicy = const void*(double bits_per_key);

// Returns the plugin's function that makes a policy for the caller. Returns
// nullptr if the plugin cannot be loaded, or if its RocksDB is not the
// caller's, because a process may have several of one release.
NewPolicy* OurFunctionFor(void* caller) {
  void* const version_function = FunctionFor(caller, kVersionFunction);
  if (version_function == nullptr) {
    Refuse(
        "the RocksDB that calls NewBloomFilterPolicy does not show its "
        "version");
    return nullptr;
  }
  void* const plugin = OpenPluginFor(version_function);
  if (plugin == nullptr) {
    return nullptr;
  }
  if (dlsym(plugin, kNewBloom) != FunctionFor(caller, kNewBloom)) {
    Refuse(
        "the RocksDB that calls NewBloomFilterPolicy is not the one that "
        "the plugin uses");
    return nullptr;
  }
  return As<NewPolicy>(dlsym(plugin, kNewOurs));
}

// The functions below have no objects with destructors: an exception that the
// plugin or RocksDB throws (std::bad_alloc) must pass through them, and this
// library has a C++ runtime of its own.

// `name` is the C function that was called.
rocksdb_filterpolicy_t* NewPolicyForC(void* caller, const char* name,
                                      double bits_per_key) {
  if (NewPolicy* const ours = OurFunctionFor(caller)) {
    // RocksDB's wrapper would forward Name() but not GetId(), and the OPTIONS
    // file would not have the bits per key. rocksdb_filterpolicy_t is a class
    // derived from FilterPolicy alone, of which callers use only virtual
    // functions (db/c.cc in RocksDB 7.1 to 11.8), so the policy can stand in
    // its place.
    return const_cast<rocksdb_filterpolicy_t*>(
        static_cast<const rocksdb_filterpolicy_t*>(ours(bits_per_key)));
  }
  void* const original = FunctionFor(caller, name);
  return original == nullptr ? nullptr
                             : As<decltype(rocksdb_filterpolicy_create_bloom)>(
                                   original)(bits_per_key);
}

}  // namespace
}  // namespace cassandra_bloom

const rocksdb::FilterPolicy* rocksdb::NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  using cassandra_bloom::FunctionFor;
  void* const caller = __builtin_return_address(0);
  if (auto* const ours = cassandra_bloom::OurFunctionFor(caller)) {
    return static_cast<const FilterPolicy*>(ours(bits_per_key));
  }
  void* const original = FunctionFor(caller, cassandra_bloom::kNewBloom);
  return original == nullptr
             ? nullptr  // To RocksDB this means: no filter.
             : cassandra_bloom::As<decltype(NewBloomFilterPolicy)>(original)(
                   bits_per_key, use_block_based_builder);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(__builtin_return_address(0), __func__,
                                        bits_per_key);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(__builtin_return_address(0), __func__,
                                        bits_per_key);
}
