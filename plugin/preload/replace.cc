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

// The bits per key of the C functions are an int before RocksDB 6.25 and a
// double from then on. These CPUs pass the first int and the first double in
// two registers that do not depend on each other. So both are taken, and passed
// on to a RocksDB of any release. On other CPUs (i386, for example) the C
// functions are not replaced: RocksDB's own ones call NewBloomFilterPolicy.
#if defined(__x86_64__) || defined(__aarch64__) || defined(__s390x__) || \
    defined(__powerpc64__) || defined(__ARM_PCS_VFP) ||                  \
    defined(__riscv_float_abi_double)
#define CASSANDRA_BLOOM_REPLACES_C_FUNCTIONS
struct rocksdb_filterpolicy_t;
extern "C" {
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(
    long integer_bits, double bits_per_key);
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    long integer_bits, double bits_per_key);
}
#endif

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

// Where an object begins in memory, which identifies it.
const void* ObjectOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
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

// Finds a function that a loaded file, or a library that it needs, defines.
// Returns nullptr if there is none, and for the functions of this library.
void* FunctionIn(const std::string& file, const char* name) {
  void* const object = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) {
    return nullptr;  // The kernel's vDSO.
  }
  void* const symbol = dlsym(object, name);
  dlclose(object);
  return symbol != nullptr && ObjectOf(symbol) == ObjectOf(kNewBloom) ? nullptr
                                                                      : symbol;
}

// Finds the function that only one object of this process defines. Returns
// nullptr if there is none; `*several` is true if there are several.
void* OnlyFunction(const char* name, bool* several) {
  void* found = nullptr;
  *several = false;
  for (const std::string& file : LoadedFiles()) {
    void* const symbol = FunctionIn(file, name);
    if (symbol != nullptr && found != nullptr && symbol != found) {
      *several = true;
      return nullptr;
    }
    found = symbol != nullptr ? symbol : found;
  }
  return found;
}

// A function that this library replaces.
struct Replaced {
  const char* name;

  // The function that the program would call without this library, if RocksDB
  // was there when the program started.
  void* at_start;
};
Replaced new_bloom = {kNewBloom, nullptr};
Replaced create_bloom = {"rocksdb_filterpolicy_create_bloom", nullptr};
Replaced create_bloom_full = {"rocksdb_filterpolicy_create_bloom_full",
                              nullptr};

// Finds RocksDB's own function. A RocksDB that came into the process later, by
// dlopen with RTLD_LOCAL, is seen by its own users only. If there is one such
// RocksDB, it is that one. If there are several, it is the one that the code at
// `caller`, the return address, sees. (That is not asked first, because
// compilers make jumps of the last calls of functions, and the return address
// is then in another function.) Returns nullptr if there is none.
__attribute__((noinline)) void* Original(const Replaced& replaced,
                                         void* caller) {
  if (replaced.at_start != nullptr) {
    return replaced.at_start;
  }
  bool several;
  void* const only = OnlyFunction(replaced.name, &several);
  return several ? FunctionIn(FileOf(caller), replaced.name) : only;
}

using NewPolicy = const void*(double bits_per_key);

// Returns the function of the plugin for this RocksDB that makes a policy.
// Returns nullptr if the plugin cannot be loaded.
NewPolicy* NewPolicyFor(void* version_function) {
  if (version_function == nullptr) {
    Refuse("the RocksDB of this process does not tell its version");
    return nullptr;
  }
  void* const plugin = OpenPluginFor(version_function);
  if (plugin == nullptr) {
    return nullptr;
  }
  void* const new_policy = dlsym(plugin, kNewOurs);
  if (new_policy == nullptr) {
    Refuse("the plugin has no NewCassandraBloomPolicy");
  }
  return As<NewPolicy>(new_policy);
}

// The plugin's function, if RocksDB was there when the program started. It is
// found once: later the plugin's file may be gone, and the dynamic linker may
// be busy in a thread that waits for this one.
NewPolicy* new_policy_at_start = nullptr;

__attribute__((constructor)) void FindAtStart() {
  for (Replaced* const replaced :
       {&new_bloom, &create_bloom, &create_bloom_full}) {
    replaced->at_start = dlsym(RTLD_NEXT, replaced->name);
  }
  if (new_bloom.at_start != nullptr) {
    new_policy_at_start = NewPolicyFor(dlsym(RTLD_DEFAULT, kVersionFunction));
  }
}

// Returns the plugin's function that makes a policy. Returns nullptr if there
// is none, and if it is not certain that it is for the RocksDB that asks.
__attribute__((noinline)) NewPolicy* FindNewPolicy() {
  if (new_bloom.at_start != nullptr) {
    return new_policy_at_start;
  }
  bool several;
  void* const original = OnlyFunction(kNewBloom, &several);
  if (several) {
    Refuse(
        "there are several RocksDBs in this process; each uses its own Bloom "
        "filter");
    return nullptr;
  }
  return NewPolicyFor(original == nullptr
                          ? nullptr
                          : FunctionIn(FileOf(original), kVersionFunction));
}

// The functions below have no objects with destructors: an exception that the
// plugin or RocksDB throws (std::bad_alloc) must pass through them, and this
// library has a C++ runtime of its own.

// Returns nullptr if RocksDB's own function is to be called.
const void* OurPolicy(double bits_per_key) {
  NewPolicy* const new_policy = FindNewPolicy();
  return new_policy == nullptr ? nullptr : new_policy(bits_per_key);
}

#ifdef CASSANDRA_BLOOM_REPLACES_C_FUNCTIONS
// A result of nullptr means to RocksDB: no filter.
rocksdb_filterpolicy_t* NewPolicyForC(const Replaced& replaced, void* caller,
                                      long integer_bits, double bits_per_key) {
  if (const void* const ours = OurPolicy(bits_per_key)) {
    // RocksDB's wrapper would forward Name() but not GetId(), and the OPTIONS
    // file would not have the bits per key. rocksdb_filterpolicy_t is a class
    // derived from FilterPolicy alone, of which callers use only virtual
    // functions (db/c.cc in RocksDB 7.1 to 11.8), so the policy can stand in
    // its place.
    return const_cast<rocksdb_filterpolicy_t*>(
        static_cast<const rocksdb_filterpolicy_t*>(ours));
  }
  void* const original = Original(replaced, caller);
  return original == nullptr ? nullptr
                             : As<decltype(rocksdb_filterpolicy_create_bloom)>(
                                   original)(integer_bits, bits_per_key);
}
#endif

}  // namespace
}  // namespace cassandra_bloom

const rocksdb::FilterPolicy* rocksdb::NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  if (const void* const ours = cassandra_bloom::OurPolicy(bits_per_key)) {
    return static_cast<const FilterPolicy*>(ours);
  }
  void* const original = cassandra_bloom::Original(cassandra_bloom::new_bloom,
                                                   __builtin_return_address(0));
  return original == nullptr
             ? nullptr
             : cassandra_bloom::As<decltype(NewBloomFilterPolicy)>(original)(
                   bits_per_key, use_block_based_builder);
}

#ifdef CASSANDRA_BLOOM_REPLACES_C_FUNCTIONS
rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(long integer_bits,
                                                          double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(cassandra_bloom::create_bloom,
                                        __builtin_return_address(0),
                                        integer_bits, bits_per_key);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    long integer_bits, double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(cassandra_bloom::create_bloom_full,
                                        __builtin_return_address(0),
                                        integer_bits, bits_per_key);
}
#endif
