// SPDX-License-Identifier: Apache-2.0

#include "plugin/preload/load_plugin.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

// Whether Refuse has printed in this process. Both preloaded libraries export
// this name, so that the dynamic linker gives both of them one variable.
extern "C" __attribute__((
    visibility("default"))) bool cassandra_bloom_preload_has_refused;
bool cassandra_bloom_preload_has_refused = false;

namespace cassandra_bloom {
namespace {

constexpr char kRocksdbFile[] = "librocksdb.so";
constexpr char kPluginFile[] = "librocksdb_cassandra_bloom.so.";

// A function that only the plugin has.
constexpr char kPluginFunction[] = "cassandra_bloom_register_with_rocksdb";

std::string OwnFolder() {
  Dl_info info;
  if (dladdr(kVersionFunction, &info) == 0 || info.dli_fname == nullptr) {
    return ".";
  }
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Whether this is the file name of a shared RocksDB of this version. The name
// ends in as much of the version as the builder of RocksDB chose: for 7.8,
// librocksdb.so, librocksdb.so.7 (its CMake), librocksdb.so.7.8 (its Makefile)
// or librocksdb.so.7.8.3.
bool IsRocksdbFile(const std::string& file, const std::string& version) {
  const std::string wanted = kRocksdbFile + ("." + version);
  const size_t common = std::min(file.size(), wanted.size());
  const auto may_end_there = [common](const std::string& name) {
    return name.size() == common || name[common] == '.';
  };
  return common >= sizeof(kRocksdbFile) - 1 &&
         file.compare(0, common, wanted, 0, common) == 0 &&
         may_end_there(file) && may_end_there(wanted);
}

// True if one of the objects loaded in this process is a shared RocksDB of this
// version.
bool RocksdbIsShared(std::string version) {
  const auto is_rocksdb = [](dl_phdr_info* object, size_t,
                             void* wanted) -> int {
    const char* const slash = std::strrchr(object->dlpi_name, '/');
    const char* const file = slash == nullptr ? object->dlpi_name : slash + 1;
    return IsRocksdbFile(file, *static_cast<const std::string*>(wanted));
  };
  return dl_iterate_phdr(is_rocksdb, &version) != 0;
}

// The path of the plugin for this version. Returns "" if there is none;
// `*searched` then names all paths that were tried.
std::string FindPlugin(const std::string& version, std::string* searched) {
  for (const std::string& folder :
       {OwnFolder(), std::string(CASSANDRA_BLOOM_PLUGIN_DIR)}) {
    const std::string path = folder + "/" + kPluginFile + version;
    if (access(path.c_str(), R_OK) == 0) {
      return path;
    }
    *searched += (searched->empty() ? "" : ", ") + path;
  }
  return "";
}

}  // namespace

void Refuse(const std::string& reason) {
  if (!__atomic_exchange_n(&cassandra_bloom_preload_has_refused, true,
                           __ATOMIC_RELAXED)) {
    std::fprintf(stderr, "cassandra_bloom: not loaded: %s\n", reason.c_str());
  }
}

void* OpenPluginFor(void* version_function) {
  std::string (*rocksdb_version)(bool with_patch);
  std::memcpy(&rocksdb_version, &version_function, sizeof(version_function));
  const std::string version = rocksdb_version(/*with_patch=*/false);

  std::string searched;
  const std::string path = FindPlugin(version, &searched);
  if (path.empty()) {
    Refuse("no plugin for RocksDB " + version + ", looked for " + searched);
    return nullptr;
  }
  if (!RocksdbIsShared(version)) {
    // Refuses, because the plugin would bring a second RocksDB into the
    // process.
    Refuse("RocksDB " + version + " is not a shared library in this program");
    return nullptr;
  }
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    Refuse(dlerror());
    return nullptr;
  }
  if (dlsym(plugin, kPluginFunction) == nullptr) {
    Refuse(path + " is not a plugin of this release");
    return nullptr;
  }
  return plugin;
}

}  // namespace cassandra_bloom
