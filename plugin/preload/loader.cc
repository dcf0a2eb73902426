// SPDX-License-Identifier: Apache-2.0

// Makes the filter policy's name known to a program with a shared RocksDB:
//
//   LD_PRELOAD=libcassandra_bloom_preload.so db_bench ...
//
// libcassandra_bloom_replace.so contains this file, too.

#include "plugin/preload/loader.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdio>

namespace cassandra_bloom {
namespace {

void ReplaceFirst(const std::string& word, const std::string& by,
                  std::string* text) {
  const size_t at = text->find(word);
  if (at != std::string::npos) {
    text->replace(at, word.size(), by);
  }
}

// Returns the name of the RocksDB library that the plugin for this release
// needs. CMake takes the name from the RocksDB for which it builds; MAJOR and
// MINOR stand in it for the numbers of the release.
std::string NeededRocksdb(const std::string& release) {
  const size_t dot = release.find('.');
  std::string name = CASSANDRA_BLOOM_ROCKSDB_SONAME;
  ReplaceFirst("MAJOR", release.substr(0, dot), &name);
  ReplaceFirst("MINOR", release.substr(dot + 1), &name);
  return name;
}

// Returns true if a library of this name is loaded, and `version_function` is
// the function kVersionFunction of that library.
bool IsVersionFunctionOf(const std::string& library, void* version_function) {
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    return false;
  }
  void* const symbol = dlsym(handle, kVersionFunction);
  dlclose(handle);
  return symbol == version_function;
}

__attribute__((constructor)) void LoadPlugin() {
  void* const version_function = dlsym(RTLD_DEFAULT, kVersionFunction);
  if (version_function != nullptr) {  // This process has RocksDB.
    OpenPluginFor(version_function);
  }
  dlerror();  // Clears an error, so that the program does not see it.
}

}  // namespace

void Refuse(const std::string& reason) {
  static std::atomic<bool> has_refused{false};
  if (!has_refused.exchange(true)) {
    std::fprintf(stderr, "cassandra_bloom: not loaded: %s\n", reason.c_str());
  }
}

std::string FileOf(const void* address) {
  Dl_info info;
  link_map* object = nullptr;
  return dladdr1(address, &info, reinterpret_cast<void**>(&object),
                 RTLD_DL_LINKMAP) == 0
             ? ""
             : object->l_name;
}

void* OpenPluginFor(void* version_function) {
  const std::string release =
      As<std::string(bool with_patch)>(version_function)(false);
  const std::string plugin_file =
      "librocksdb_cassandra_bloom.so." + release + "-" CASSANDRA_BLOOM_ABI;

  // Checked before the plugin is loaded, because dlopen would first load the
  // RocksDB that the plugin needs. A second RocksDB in the process would run
  // its constructors, and the plugin could register itself there.
  const std::string needed = NeededRocksdb(release);
  if (!IsVersionFunctionOf(needed, version_function)) {
    const std::string file = FileOf(version_function);
    Refuse("RocksDB " + release +
           (file.empty() ? " is not a shared library in this program"
                         : " is " + file + " in this program, not the " +
                               needed + " that " + plugin_file + " needs"));
    return nullptr;
  }
  // The dynamic linker finds the plugin in the folder of this library (its
  // RUNPATH is $ORIGIN), or where it finds all libraries.
  void* const plugin = dlopen(plugin_file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    Refuse("no plugin for RocksDB " + release + ": " + dlerror());
  }
  return plugin;
}

}  // namespace cassandra_bloom
