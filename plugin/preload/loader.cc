// SPDX-License-Identifier: Apache-2.0

// Makes the policy's name known to a program with a shared RocksDB:
// LD_PRELOAD=libcassandra_bloom_preload.so db_bench ...
//
// Also a part of libcassandra_bloom_replace.so. The plugin itself can be
// preloaded, too, but only into programs of its own RocksDB release: it brings
// that RocksDB into the process, which may crash if it has another.

#include <dlfcn.h>

#include "plugin/preload/load_plugin.h"

namespace cassandra_bloom {
namespace {

__attribute__((constructor)) void LoadPlugin() {
  void* const version_function = dlsym(RTLD_DEFAULT, kVersionFunction);
  if (version_function != nullptr) {  // Otherwise there is no RocksDB.
    OpenPluginFor(version_function);
  }
  dlerror();  // The program shall not see this library's error.
}

}  // namespace
}  // namespace cassandra_bloom
