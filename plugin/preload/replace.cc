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

// The plugin's functions, and the linker's names of
// rocksdb::NewCassandraBloomPolicyBesideRocksdb and of
// cassandra_bloom::NewMixInPlaceOf. The policies of both also read filters of
// RocksDB's own Bloom policy.
using NewOurs = const rocksdb::FilterPolicy*(double bits_per_key);
constexpr char kNewOurs[] =
    "_ZN7rocksdb36NewCassandraBloomPolicyBesideRocksdbEd";
using NewMix = const rocksdb::FilterPolicy*(
    const rocksdb::FilterPolicy* rocksdbs, double bits_per_key);
constexpr char kNewMix[] =
    "_ZN15cassandra_bloom15NewMixInPlaceOfEPKN7rocksdb12FilterPolicyEd";

// At most one is not nullptr. Without one, RocksDB uses its own Bloom filter.
struct PluginFunction {
  NewOurs* new_ours = nullptr;
  NewMix* new_mix = nullptr;
};

// What CASSANDRA_BLOOM_REPLACE asks for. kNone: its value is wrong.
enum class Replacement { kOurs, kMix, kNone };

Replacement ReplacementInEnvironment() {
  const char* const text = std::getenv("CASSANDRA_BLOOM_REPLACE");
  return text == nullptr || *text == '\0' ? Replacement::kOurs
         : std::strcmp(text, "mix") == 0  ? Replacement::kMix
                                          : Replacement::kNone;
}

// Loads the plugin for the RocksDB with this version function, and returns the
// plugin's function that makes the replacement.
PluginFunction FindInPlugin(void* version_function, Replacement replacement) {
  if (replacement == Replacement::kNone) {
    Refuse(
        "CASSANDRA_BLOOM_REPLACE is neither mix nor empty; RocksDB uses its "
        "own Bloom filter");
    return {};
  }
  if (version_function == nullptr) {
    Refuse("the RocksDB of this process does not tell its version");
    return {};
  }
  void* const plugin = OpenPluginFor(version_function);
  if (plugin == nullptr) {
    return {};
  }
  const bool is_mix = replacement == Replacement::kMix;
  const char* const name = is_mix ? kNewMix : kNewOurs;
  void* const function = dlsym(plugin, name);
  if (function == nullptr) {
    Refuse(std::string("the plugin has no function ") + name);
  }
  return is_mix ? PluginFunction{nullptr, As<NewMix>(function)}
                : PluginFunction{As<NewOurs>(function), nullptr};
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

struct Found {
  void* original = nullptr;  // RocksDB's own function, if there is one.
  PluginFunction plugin;
};

// Finds a function that RocksDB may have brought into the process after its
// start. `caller` is a return address. If several RocksDBs are loaded, finds
// the function of the RocksDB that the code at `caller` uses.
Found FindNow(const char* name, void* caller, Replacement replacement) {
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
    found.plugin = FindInPlugin(
        FunctionIn(files, FileOf(found.original), kVersionFunction),
        replacement);
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
      plugin = FindInPlugin(version_function, replacement);
    }
    dlerror();  // Clears an error, so that the program does not see it.
  }

  const Replacement replacement = ReplacementInEnvironment();
  // The functions that the program would call without this library.
  void* original[kNumFunctions] = {};
  PluginFunction plugin;
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
             ? Found{original, at_start.plugin}
             : FindNow(kNames[function], caller, at_start.replacement);
}

// Returns our policy, or nullptr if RocksDB's own function is to be called.
const rocksdb::FilterPolicy* OurPolicy(const PluginFunction& plugin,
                                       double bits_per_key) {
  return plugin.new_ours == nullptr ? nullptr : plugin.new_ours(bits_per_key);
}

// Returns a policy for a C function. RocksDB takes nullptr for "no filter".
rocksdb_filterpolicy_t* NewPolicyForC(Function function, void* caller,
                                      double bits_per_key) {
  const Found found = Find(function, caller);
  if (const void* const ours = OurPolicy(found.plugin, bits_per_key)) {
    // Returns our policy without RocksDB's wrapper class, because the wrapper
    // does not forward GetId(). The OPTIONS file would then not have the bits
    // per key. The cast is safe, because rocksdb_filterpolicy_t derives from
    // FilterPolicy alone, and callers use only virtual functions (RocksDB's
    // db/c.cc).
    return const_cast<rocksdb_filterpolicy_t*>(
        static_cast<const rocksdb_filterpolicy_t*>(ours));
  }
  // With `mix`, too, the program gets RocksDB's wrapper, so that the OPTIONS
  // file stays the same. RocksDB calls NewBloomFilterPolicy below for it.
  return found.original == nullptr
             ? nullptr
             : As<decltype(rocksdb_filterpolicy_create_bloom)>(found.original)(
                   bits_per_key);
}

const rocksdb::FilterPolicy* NewPolicy(void* caller, double bits_per_key,
                                       bool use_block_based_builder) {
  const Found found = Find(kNewBloom, caller);
  if (const auto* const ours = OurPolicy(found.plugin, bits_per_key)) {
    return ours;
  }
  const rocksdb::FilterPolicy* const rocksdbs =
      found.original == nullptr
          ? nullptr
          : As<decltype(rocksdb::NewBloomFilterPolicy)>(found.original)(
                bits_per_key, use_block_based_builder);
  return found.plugin.new_mix == nullptr
             ? rocksdbs
             : found.plugin.new_mix(rocksdbs, bits_per_key);
}

}  // namespace
}  // namespace cassandra_bloom

const rocksdb::FilterPolicy* rocksdb::NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  return cassandra_bloom::NewPolicy(__builtin_return_address(0), bits_per_key,
                                    use_block_based_builder);
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
