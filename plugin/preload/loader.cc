// SPDX-License-Identifier: Apache-2.0

// Makes the filter policy's name known to a program with a shared RocksDB:
//
//   LD_PRELOAD=libcassandra_bloom_preload.so db_bench ...
//
// libcassandra_bloom_replace.so contains this file, too.

#include <dlfcn.h>

#include "plugin/preload/load_plugin.h"

namespace cassandra_bloom {
namespace {

__attribute__((constructor)) void LoadPlugin() {
  void* const version_function = dlsym(RTLD_DEFAULT, kVersionFunction);
  if (version_function != nullptr) {  // This process has RocksDB.
    OpenPluginFor(version_function);
  }
  dlerror();  // Clears an error, so that the program does not see it.
}

}  // namespace
}  // namespace cassandra_bloom
