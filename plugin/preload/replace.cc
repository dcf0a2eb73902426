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

#include <algorithm>
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

// The functions that this library replaces.
enum Function { kNewBloom, kCreateBloom, kCreateBloomFull, kNumFunctions };
constexpr const char* kNames[kNumFunctions] = {
    "_ZN7rocksdb20NewBloomFilterPolicyEdb", "rocksdb_filterpolicy_create_bloom",
    "rocksdb_filterpolicy_create_bloom_full"};

// const FilterPolicy* rocksdb::NewCassandraBloomPolicyBesideRocksdb(double).
// Its policy also reads the filters that the program has written without this
// library.
constexpr char kNewOurs[] =
    "_ZN7rocksdb36NewCassandraBloomPolicyBesideRocksdbEd";
using NewPolicy = const void*(double bits_per_key);

template <typename Type>
Type* As(void* symbol) {
  Type* function;
  std::memcpy(&function, &symbol, sizeof(symbol));
  return function;
}

// The files to which this library may pass a call on: those after it in the
// order in which the dynamic linker searches. The program and libraries before
// this one have had the call already.
using Files = std::vector<std::string>;
Files LaterFiles() {
  Files files;
  const auto add = [](dl_phdr_info* object, size_t, void* list) -> int {
    Files* const later = static_cast<Files*>(list);
    Dl_info info;
    Dl_info own;
    if (dladdr(object->dlpi_phdr, &info) != 0 && dladdr(kNames, &own) != 0 &&
        info.dli_fbase == own.dli_fbase) {
      later->clear();
    } else {
      later->push_back(object->dlpi_name);
    }
    return 0;
  };
  dl_iterate_phdr(add, &files);
  return files;
}

// Finds a function that a file, or a library that it needs, defines. Returns
// nullptr if none of `files` defines it.
void* FunctionIn(const Files& files, const std::string& file,
                 const char* name) {
  void* const object =
      file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) {
    return nullptr;  // The file is the program or the vDSO.
  }
  void* const symbol = dlsym(object, name);
  dlclose(object);
  const bool is_later =
      symbol != nullptr &&
      std::find(files.begin(), files.end(), FileOf(symbol)) != files.end();
  return is_later ? symbol : nullptr;
}

// Returns the function if exactly one of `files` defines it, otherwise nullptr.
// `*several`: whether more than one defines it.
void* OnlyFunction(const Files& files, const char* name, bool* several) {
  void* found = nullptr;
  *several = false;
  for (const std::string& file : files) {
    void* const symbol = FunctionIn(files, file, name);
    if (symbol != nullptr && found != nullptr && symbol != found) {
      *several = true;
      return nullptr;
    }
    found = symbol != nullptr ? symbol : found;
  }
  return found;
}

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
    Refuse("the plugin has no NewCassandraBloomPolicyBesideRocksdb");
  }
  return As<NewPolicy>(new_policy);
}

// The functions to call if RocksDB was in the process when the program started;
// otherwise all are nullptr. They are found once: later the plugin's file may
// be gone, or the dynamic linker may be busy in a thread that waits for this
// one.
struct AtStart {
  AtStart() {
    void* const version_function = dlsym(RTLD_DEFAULT, kVersionFunction);
    if (version_function != nullptr) {
      for (int function = 0; function < kNumFunctions; ++function) {
        original[function] = dlsym(RTLD_NEXT, kNames[function]);
      }
    }
    if (original[kNewBloom] != nullptr) {
      new_policy = NewPolicyFor(version_function);
    }
    dlerror();  // The program shall not see this library's error.
  }

  // The functions that the program would call without this library.
  void* original[kNumFunctions] = {};

  // The plugin's function. nullptr if there is no plugin for this RocksDB.
  NewPolicy* new_policy = nullptr;
};

const AtStart& FoundAtStart() {
  static const AtStart found;
  return found;
}

// FoundAtStart may have run before: a constructor of another library may have
// made a filter.
__attribute__((constructor)) void FindAtStart() { FoundAtStart(); }

// Finds RocksDB's own function, or returns nullptr. A RocksDB that came into
// the process later, by dlopen with RTLD_LOCAL, is visible to its own users
// only. If there is one such RocksDB, its function is returned; if several,
// that of the RocksDB which the code at `caller`, the return address, sees.
// (`caller` comes second, because compilers turn a function's last call into a
// jump, and the return address is then in another function.)
__attribute__((noinline)) void* Original(Function function, void* caller) {
  if (void* const at_start = FoundAtStart().original[function]) {
    return at_start;
  }
  const Files files = LaterFiles();
  bool several;
  void* original = OnlyFunction(files, kNames[function], &several);
  if (several) {
    original = FunctionIn(files, FileOf(caller), kNames[function]);
  }
  return original != nullptr ? original : dlsym(RTLD_NEXT, kNames[function]);
}

// Returns the plugin's function that makes a policy. Returns nullptr if there
// is none, or if it may not be for the RocksDB that asks.
__attribute__((noinline)) NewPolicy* FindNewPolicy() {
  const AtStart& at_start = FoundAtStart();
  if (at_start.original[kNewBloom] != nullptr) {
    return at_start.new_policy;
  }
  const Files files = LaterFiles();
  bool several;
  void* const original = OnlyFunction(files, kNames[kNewBloom], &several);
  if (several) {
    Refuse(
        "there are several RocksDBs in this process; each uses its own Bloom "
        "filter");
    return nullptr;
  }
  return NewPolicyFor(original == nullptr ? nullptr
                                          : FunctionIn(files, FileOf(original),
                                                       kVersionFunction));
}

// The functions below have no objects with destructors, because an exception of
// the plugin or of RocksDB (std::bad_alloc) must pass through them, and this
// library has a C++ runtime of its own.

// Returns our policy, or nullptr if RocksDB's own function is to be called.
const void* OurPolicy(double bits_per_key) {
  NewPolicy* const new_policy = FindNewPolicy();
  return new_policy == nullptr ? nullptr : new_policy(bits_per_key);
}

#ifdef CASSANDRA_BLOOM_REPLACES_C_FUNCTIONS
// Returns a policy for the C functions; nullptr means "no filter" to RocksDB.
rocksdb_filterpolicy_t* NewPolicyForC(Function function, void* caller,
                                      long integer_bits, double bits_per_key) {
  if (const void* const ours = OurPolicy(bits_per_key)) {
    // RocksDB's wrapper would forward Name() but not GetId(), and the OPTIONS
    // file would not have the bits per key. rocksdb_filterpolicy_t is a class
    // derived from FilterPolicy alone, of which callers use only virtual
    // functions (db/c.cc in RocksDB 7.1 to 11.9), so the policy can stand in
    // its place.
    return const_cast<rocksdb_filterpolicy_t*>(
        static_cast<const rocksdb_filterpolicy_t*>(ours));
  }
  void* const original = Original(function, caller);
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
  void* const original = cassandra_bloom::Original(cassandra_bloom::kNewBloom,
                                                   __builtin_return_address(0));
  return original == nullptr
             ? nullptr
             : cassandra_bloom::As<decltype(NewBloomFilterPolicy)>(original)(
                   bits_per_key, use_block_based_builder);
}

#ifdef CASSANDRA_BLOOM_REPLACES_C_FUNCTIONS
rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(long integer_bits,
                                                          double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(cassandra_bloom::kCreateBloom,
                                        __builtin_return_address(0),
                                        integer_bits, bits_per_key);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    long integer_bits, double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(cassandra_bloom::kCreateBloomFull,
                                        __builtin_return_address(0),
                                        integer_bits, bits_per_key);
}
#endif
