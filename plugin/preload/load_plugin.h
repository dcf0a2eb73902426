// SPDX-License-Identifier: Apache-2.0

// Opens the plugin, librocksdb_cassandra_bloom.so, that was built for the
// RocksDB of this process.
//
// LD_PRELOAD also reaches programs without RocksDB, such as a shell. So this
// code links to no function of RocksDB.
//
// Tested in tests/install/preload/loader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOAD_PLUGIN_H_
#define CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOAD_PLUGIN_H_

#include <string>

namespace cassandra_bloom {

// The linker's name of rocksdb::GetRocksVersionAsString(bool with_patch), which
// returns a std::string.
inline constexpr char kVersionFunction[] =
    "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";

// Prints on stderr that the plugin is not loaded, and why. Only the first call
// in a process prints.
void Refuse(const std::string& reason);

// Returns the path of the file that contains `function`. Returns "" if the
// function is in the program itself.
std::string FileOf(void* function);

// Opens the plugin for the RocksDB with this version function. The file is
// librocksdb_cassandra_bloom.so.MAJOR.MINOR, in the folder of this library or
// in CASSANDRA_BLOOM_PLUGIN_DIR. Returns dlopen's handle, which is never
// closed. If the plugin cannot be loaded, or would load a second RocksDB, calls
// Refuse and returns nullptr.
void* OpenPluginFor(void* version_function);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_PRELOAD_LOAD_PLUGIN_H_
