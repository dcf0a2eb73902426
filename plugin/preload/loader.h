// SPDX-License-Identifier: Apache-2.0

// Loads the plugin, librocksdb_cassandra_bloom.so, that was built for the
// RocksDB of this process.
//
// LD_PRELOAD also reaches programs without RocksDB, such as a shell. So this
// code links to no function of RocksDB.
//
// Tested in tests/install/preload/loader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOADER_H_
#define CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOADER_H_

#include <cstring>
#include <string>

namespace cassandra_bloom {

// Returns what dlsym has found as a pointer to a function.
template <typename Function>
Function* As(void* symbol) {
  Function* function;
  std::memcpy(&function, &symbol, sizeof(symbol));
  return function;
}

// The linker's name of rocksdb::GetRocksVersionAsString(bool with_patch), which
// returns a std::string. RocksJava's published library has the std::string of
// before GCC 5.
inline constexpr char kVersionFunction[] =
#if _GLIBCXX_USE_CXX11_ABI
    "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";
#else
    "_ZN7rocksdb23GetRocksVersionAsStringEb";
#endif

// Prints on stderr that the plugin is not loaded, and why. Only the first call
// prints.
void Refuse(const std::string& reason);

// Returns the path of the file that contains this code or constant. Returns ""
// for those of the program itself.
std::string FileOf(const void* address);

// Loads the plugin for the RocksDB with this version function. Returns dlopen's
// handle, which is never closed. If the plugin cannot be loaded, or would bring
// a second RocksDB into the process, calls Refuse and returns nullptr.
void* OpenPluginFor(void* version_function);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOADER_H_
