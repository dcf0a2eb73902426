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
#include <cstdlib>
#include <cstring>
#include <set>
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

// A function of the plugin. It makes a policy that takes the place of
// `rocksdbs`. All its policies also read filters of RocksDB's own Bloom policy.
using InPlaceOf = const void*(const void* rocksdbs, double bits_per_key);

// Returns the linker's name of the function that CASSANDRA_BLOOM_REPLACE asks
// for (plugin/policy/in_place.h). Returns nullptr if the value is wrong.
const char* InPlaceOfName() {
  const char* const value = std::getenv("CASSANDRA_BLOOM_REPLACE");
  return value == nullptr || *value == '\0'
             ? "_ZN15cassandra_bloom16NewOursInPlaceOf"
               "EPKN7rocksdb12FilterPolicyEd"
         : std::strcmp(value, "mix") == 0
             ? "_ZN15cassandra_bloom15NewMixInPlaceOf"
               "EPKN7rocksdb12FilterPolicyEd"
             : nullptr;
}

// Loads the plugin for the RocksDB with this version function, and returns the
// plugin's function of this name. If that fails, returns nullptr.
InPlaceOf* FindInPlugin(void* version_function, const char* name) {
  if (name == nullptr) {
    Refuse(
        "CASSANDRA_BLOOM_REPLACE is neither mix nor empty; RocksDB uses its "
        "own Bloom filter");
    return nullptr;
  }
  if (version_function == nullptr) {
    Refuse("the RocksDB of this process does not tell its version");
    return nullptr;
  }
  void* const plugin = OpenPluginFor(version_function);
  if (plugin == nullptr) {
    return nullptr;
  }
  void* const function = dlsym(plugin, name);
  if (function == nullptr) {
    Refuse(std::string("the plugin has no function ") + name);
  }
  return As<InPlaceOf>(function);
}

// Returns the loaded files that the dynamic linker searches after this library.
// This library passes a call on only to these files, because the program or an
// earlier library may itself have passed the call to this library.
using Files = std::vector<std::string>;
Files LaterFiles() {
  Files files;
  const auto add = [](dl_phdr_info* object, size_t, void* list) -> int {
    static_cast<Files*>(list)->push_back(object->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &files);
  const auto own = std::find(files.begin(), files.end(), FileOf(kNames));
  files.erase(files.begin(), own == files.end() ? own : own + 1);
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

// What a call of the program is passed on to.
struct Found {
  void* original = nullptr;          // RocksDB's own function, if there is one.
  InPlaceOf* in_place_of = nullptr;  // If nullptr, RocksDB's policy stays.
};

// Finds what RocksDB may have brought into the process after its start.
// `caller` is a return address. If several RocksDBs are loaded, finds the
// function of the RocksDB that the code at `caller` uses.
Found FindNow(const char* name, void* caller, const char* in_place_of_name) {
  const Files files = LaterFiles();
  std::set<void*> functions;
  for (const std::string& file : files) {
    functions.insert(FunctionIn(files, file, name));
  }
  functions.erase(nullptr);
  Found found;
  if (functions.size() > 1) {
    Refuse(
        "there are several RocksDBs in this process; each uses its own Bloom "
        "filter");
    found.original = FunctionIn(files, FileOf(caller), name);
  } else {
    found.original = functions.empty() ? nullptr : *functions.begin();
    found.in_place_of = FindInPlugin(
        FunctionIn(files, FileOf(found.original), kVersionFunction),
        in_place_of_name);
  }
  if (found.original == nullptr) {
    found.original = dlsym(RTLD_NEXT, name);
  }
  return found;
}

// What was found when the program started. All is nullptr if RocksDB was not in
// the process then. Later the plugin's file may be gone, or a search could wait
// forever for another thread. So it is found only once.
struct AtStart {
  AtStart() {
    void* const version_function = dlsym(RTLD_DEFAULT, kVersionFunction);
    if (version_function != nullptr) {
      for (int function = 0; function < kNumFunctions; ++function) {
        original[function] = dlsym(RTLD_NEXT, kNames[function]);
      }
      in_place_of = FindInPlugin(version_function, in_place_of_name);
    }
    dlerror();  // Clears an error, so that the program does not see it.
  }

  const char* const in_place_of_name = InPlaceOfName();
  // The functions that the program would call without this library.
  void* original[kNumFunctions] = {};
  InPlaceOf* in_place_of = nullptr;
};

const AtStart& FoundAtStart() {
  static const AtStart found;
  return found;
}

__attribute__((constructor)) void FindAtStart() { FoundAtStart(); }

// An exception of RocksDB or of the plugin must pass through the functions
// below. This library has a C++ runtime of its own, which does not know such
// exceptions. So these functions have no objects with destructors.

__attribute__((noinline)) Found Find(Function function, void* caller) {
  const AtStart& at_start = FoundAtStart();
  void* const original = at_start.original[function];
  return original != nullptr
             ? Found{original, at_start.in_place_of}
             : FindNow(kNames[function], caller, at_start.in_place_of_name);
}

// Returns a policy. `arguments` are those of the program's call.
template <typename Policy, typename... Arguments>
Policy* NewPolicy(Function function, void* caller, double bits_per_key,
                  Arguments... arguments) {
  const Found found = Find(function, caller);
  // RocksDB takes nullptr for "no filter".
  Policy* const rocksdbs =
      found.original == nullptr
          ? nullptr
          : As<Policy*(double, Arguments...)>(found.original)(bits_per_key,
                                                              arguments...);
  return found.in_place_of == nullptr
             ? rocksdbs
             : static_cast<Policy*>(const_cast<void*>(
                   found.in_place_of(rocksdbs, bits_per_key)));
}

}  // namespace
}  // namespace cassandra_bloom

const rocksdb::FilterPolicy* rocksdb::NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  return cassandra_bloom::NewPolicy<const FilterPolicy>(
      cassandra_bloom::kNewBloom, __builtin_return_address(0), bits_per_key,
      use_block_based_builder);
}

// RocksDB's C functions wrap the policy of the function above, and the wrapper
// does not forward GetId(). The OPTIONS file would then not have the bits per
// key of our policy. So these functions, too, return the plugin's policy. A
// FilterPolicy is cast to rocksdb_filterpolicy_t. That is safe, because the
// latter derives from the former alone, and callers use only virtual functions
// (RocksDB's db/c.cc).

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(double bits_per_key) {
  return cassandra_bloom::NewPolicy<rocksdb_filterpolicy_t>(
      cassandra_bloom::kCreateBloom, __builtin_return_address(0), bits_per_key);
}

rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    double bits_per_key) {
  return cassandra_bloom::NewPolicy<rocksdb_filterpolicy_t>(
      cassandra_bloom::kCreateBloomFull, __builtin_return_address(0),
      bits_per_key);
}
