// SPDX-License-Identifier: Apache-2.0

// Replaces RocksDB's Bloom filter by Cassandra's in programs that choose their
// filter in their code:
//
//   LD_PRELOAD=libcassandra_bloom_replace.so oxigraph ...
//
// The dynamic linker searches a preloaded library before librocksdb.so. So a
// program's calls of NewBloomFilterPolicy come to this file. docs/hosts.md
// lists which programs this reaches.

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "plugin/preload/loader.h"

#define EXPORTED __attribute__((visibility("default")))

namespace rocksdb {
class FilterPolicy;
EXPORTED const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                  bool use_block_based_builder);
}  // namespace rocksdb

// As in RocksDB since 6.25. Before, these functions take an int.
struct rocksdb_filterpolicy_t;
extern "C" {
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(
    double bits_per_key);
EXPORTED rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    double bits_per_key);
}

namespace cassandra_bloom {
namespace {

enum Function { kNewBloom, kCreateBloom, kCreateBloomFull, kNumFunctions };
constexpr const char* kNames[kNumFunctions] = {
    "_ZN7rocksdb20NewBloomFilterPolicyEdb", "rocksdb_filterpolicy_create_bloom",
    "rocksdb_filterpolicy_create_bloom_full"};

// The linker's name of rocksdb::NewCassandraBloomPolicyBesideRocksdb(double).
// Its policy also reads filters of RocksDB's own Bloom policy.
constexpr char kNewOurs[] =
    "_ZN7rocksdb36NewCassandraBloomPolicyBesideRocksdbEd";
using NewPolicy = const void*(double bits_per_key);

template <typename Type>
Type* As(void* symbol) {
  Type* function;
  std::memcpy(&function, &symbol, sizeof(symbol));
  return function;
}

// Returns the loaded files that the dynamic linker searches after this library.
// This library passes a call on only to these files, because the program or an
// earlier library may itself have passed the call to this library.
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

// Returns the function of this name in `file`, or in a library that `file`
// needs. Returns nullptr if that function is not in one of `files`.
void* FunctionIn(const Files& files, const std::string& file,
                 const char* name) {
  void* const object =
      file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) {
    return nullptr;  // `file` is the program or Linux's vDSO.
  }
  void* const symbol = dlsym(object, name);
  dlclose(object);
  const bool is_later =
      symbol != nullptr &&
      std::find(files.begin(), files.end(), FileOf(symbol)) != files.end();
  return is_later ? symbol : nullptr;
}

// Returns the function if exactly one of `files` defines it, otherwise nullptr.
// Sets `*several` to true if more than one file defines it.
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

// Loads the plugin for the RocksDB with this version function, and returns the
// plugin's function kNewOurs. If that fails, returns nullptr.
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

// The functions that were found when the program started. All are nullptr if
// RocksDB was not in the process then. Later the plugin's file may be gone, or
// a search could wait forever for another thread. So these functions are found
// only once.
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
    dlerror();  // Clears an error, so that the program does not see it.
  }

  // The functions that the program would call without this library.
  void* original[kNumFunctions] = {};

  NewPolicy* new_policy = nullptr;
};

const AtStart& FoundAtStart() {
  static const AtStart found;
  return found;
}

__attribute__((constructor)) void FindAtStart() { FoundAtStart(); }

// Returns RocksDB's own function, or nullptr if there is none. `caller` is a
// return address. If several RocksDBs are loaded, returns the function of the
// RocksDB that the code at `caller` uses.
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

// Returns the plugin's function that makes our policy. Returns nullptr if there
// is no plugin, or if several RocksDBs are loaded.
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

// An exception of RocksDB or of the plugin must pass through the functions
// below. This library has a C++ runtime of its own, which does not know such
// exceptions. So these functions have no objects with destructors.

// Returns our policy, or nullptr if RocksDB's own function is to be called.
const void* OurPolicy(double bits_per_key) {
  NewPolicy* const new_policy = FindNewPolicy();
  return new_policy == nullptr ? nullptr : new_policy(bits_per_key);
}

// Returns a policy for a C function. RocksDB takes nullptr for "no filter".
rocksdb_filterpolicy_t* NewPolicyForC(Function function, void* caller,
                                      double bits_per_key) {
  if (const void* const ours = OurPolicy(bits_per_key)) {
    // Returns our policy without RocksDB's wrapper class, because the wrapper
    // does not forward GetId(). The OPTIONS file would then not have the bits
    // per key. The cast is safe, because rocksdb_filterpolicy_t derives from
    // FilterPolicy alone, and callers use only virtual functions (RocksDB's
    // db/c.cc).
    return const_cast<rocksdb_filterpolicy_t*>(
        static_cast<const rocksdb_filterpolicy_t*>(ours));
  }
  void* const original = Original(function, caller);
  return original == nullptr ? nullptr
                             : As<decltype(rocksdb_filterpolicy_create_bloom)>(
                                   original)(bits_per_key);
}

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

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(
      cassandra_bloom::kCreateBloom, __builtin_return_address(0), bits_per_key);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    double bits_per_key) {
  return cassandra_bloom::NewPolicyForC(cassandra_bloom::kCreateBloomFull,
                                        __builtin_return_address(0),
                                        bits_per_key);
}
