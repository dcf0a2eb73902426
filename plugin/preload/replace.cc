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
// Where there is no plugin for the RocksDB of the program, the loader says so,
// and RocksDB's own function is called.

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

#include "plugin/preload/load_plugin.h"

#define EXPORTED __attribute__((visibility("default")))

namespace rocksdb {
class FilterPolicy;
EXPORTED const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                  bool use_block_based_builder);
}  // namespace rocksdb

// The bits per key are an int before RocksDB 6.25 and a double from then on. On
// the 64-bit CPUs that Debian has, the two are passed in different registers,
// so both are taken, and passed on to a RocksDB of any release.
struct rocksdb_filterpolicy_t;
extern "C" {
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(
    long integer_bits, double bits_per_key);
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    long integer_bits, double bits_per_key);
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

// The files of all objects of this process, without the program itself.
std::vector<std::string> LoadedFiles() {
  std::vector<std::string> files;
  const auto add = [](dl_phdr_info* object, size_t, void* list) -> int {
    if (*object->dlpi_name != '\0') {
      static_cast<std::vector<std::string>*>(list)->push_back(
          object->dlpi_name);
    }
    return 0;
  };
  dl_iterate_phdr(add, &files);
  return files;
}

// Finds a function that one of the objects, or a library that it needs,
// defines. Returns nullptr if there is none, and if there are several.
void* OnlyFunction(const char* name) {
  void* found = nullptr;
  for (const std::string& file : LoadedFiles()) {
    void* const object = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) {
      continue;  // The kernel's vDSO.
    }
    void* const symbol = dlsym(object, name);
    dlclose(object);
    if (symbol == nullptr || symbol == found || IsOurs(symbol)) {
      continue;
    }
    if (found != nullptr) {
      return nullptr;
    }
    found = symbol;
  }
  return found;
}

// Finds the function that is called where this library is not preloaded: the
// next one that all objects of the process see. A RocksDB that came into the
// process by dlopen with RTLD_LOCAL is seen by its own users only; it is taken
// if there is one such RocksDB. If there are several, the return address would
// not tell which one calls, because compilers make jumps of the last calls of
// functions. Returns nullptr then, and if there is none.
void* Original(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  return next != nullptr ? next : OnlyFunction(name);
}

using NewPolicy = const void*(double bits_per_key);

// Returns the plugin's function that makes a policy. Returns nullptr if the
// plugin cannot be loaded, or if it uses another RocksDB than this program: a
// process may have several of one release.
NewPolicy* OurFunction() {
  void* const in_all = dlsym(RTLD_DEFAULT, kVersionFunction);
  void* const version_function =
      in_all != nullptr ? in_all : OnlyFunction(kVersionFunction);
  if (version_function == nullptr) {
    Refuse("cannot tell which RocksDB makes the Bloom filter");
    return nullptr;
  }
  void* const plugin = OpenPluginFor(version_function);
  if (plugin == nullptr) {
    return nullptr;
  }
  if (dlsym(plugin, kVersionFunction) != version_function) {
    Refuse("the RocksDB of this program is not the one that the plugin uses");
    return nullptr;
  }
  void* const new_policy = dlsym(plugin, kNewOurs);
  if (new_policy == nullptr) {
    Refuse("the plugin has no NewCassandraBloomPolicy");
  }
  return As<NewPolicy>(new_policy);
}

// Returns nullptr if the plugin refuses or cannot be used.
const void* OurPolicy(double bits_per_key) {
  NewPolicy* const new_policy = OurFunction();
  return new_policy == nullptr ? nullptr : new_policy(bits_per_key);
}

// The functions below have no objects with destructors: an exception that the
// plugin or RocksDB throws (std::bad_alloc) must pass through them, and this
// library has a C++ runtime of its own.

// `name` is the C function that was called. A result of nullptr means to
// RocksDB: no filter.
rocksdb_filterpolicy_t* NewPolicyForC(const char* name, long integer_bits,
                                      double bits_per_key) {
  if (const void* const ours = OurPolicy(bits_per_key)) {
    // RocksDB's wrapper would forward Name() but not GetId(), and the OPTIONS
    // file would not have the bits per key. rocksdb_filterpolicy_t is a class
    // derived from FilterPolicy alone, of which callers use only virtual
    // functions (db/c.cc in RocksDB 7.1 to 11.8), so the policy can stand in
    // its place.
    return const_cast<rocksdb_filterpolicy_t*>(
        static_cast<const rocksdb_filterpolicy_t*>(ours));
  }
  void* const original = Original(name);
  return original == nullptr ? nullptr
                             : As<decltype(rocksdb_filterpolicy_create_bloom)>(
                                   original)(integer_bits, bits_per_key);
}

}  // namespace
}  // namespace cassandra_bloom

const rocksdb::FilterPolicy* rocksdb::NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  if (const void* const ours = cassandra_bloom::OurPolicy(bits_per_key)) {
    return static_cast<const FilterPolicy*>(ours);
  }
  void* const original = cassandra_bloom::Original(cassandra_bloom::kNewBloom);
  return original == nullptr
             ? nullptr
             : cassandra_bloom::As<decltype(NewBloomFilterPolicy)>(original)(
                   bits_per_key, use_block_based_builder);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(long integer_bits,
                                                          double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(__func__, integer_bits, bits_per_key);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    long integer_bits, double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(__func__, integer_bits, bits_per_key);
}
