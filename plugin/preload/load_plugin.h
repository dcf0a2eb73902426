// SPDX-License-Identifier: Apache-2.0

// Opens the plugin that was built for the RocksDB of this process.
//
// LD_PRELOAD reaches every process of a pipeline and every child of a shell. So
// the preloaded libraries use no symbol of RocksDB and do not depend on it, and
// they do nothing in a process without RocksDB.
//
// Tested in tests/install/preload/loader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOAD_PLUGIN_H_
#define CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOAD_PLUGIN_H_

#include <string>

namespace cassandra_bloom {

// std::string rocksdb::GetRocksVersionAsString(bool with_patch)
inline constexpr char kVersionFunction[] =
    "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";

// Prints on stderr that the plugin is not loaded, and why. Only the first call
// in a process prints, even if both preloaded libraries call it.
void Refuse(const std::string& reason);

// The file that contains the function, as the dynamic linker names it. Returns
// "" if that is the program itself.
std::string FileOf(void* function);

// Opens librocksdb_cassandra_bloom.so.MAJOR.MINOR, which registers the policy,
// for the RocksDB whose version function this is. The plugin is searched for in
// the folder of this library, then in CASSANDRA_BLOOM_PLUGIN_DIR. Returns
// dlopen's handle, which is never closed. If the plugin is cut short or cannot
// be loaded, or would bring another RocksDB into the process, calls Refuse and
// returns nullptr.
void* OpenPluginFor(void* version_function);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOAD_PLUGIN_H_
