// SPDX-License-Identifier: Apache-2.0

// Registers the policy's name with RocksDB when librocksdb_cassandra_bloom.so
// is loaded. Only the shared library has this file, for two reasons. RocksDB's
// own build registers its plugins itself. A linker would leave this file out of
// a program that links the static library.
//
// Tested in tests/install/preload/loader_test.cc.

#include <cstdio>
#include <cstdlib>

#include "cassandra_bloom/c.h"
#include "plugin/policy/running_rocksdb.h"

namespace cassandra_bloom {
namespace {

__attribute__((constructor)) void RegisterOnLoad() {
  if (!RocksdbReleaseMatches()) {
    return;  // RocksdbReleaseMatches has printed the reason.
  }
  char* error = nullptr;
  if (!cassandra_bloom_register_with_rocksdb(&error)) {
    std::fprintf(stderr, "cassandra_bloom: not registered: %s\n",
                 error != nullptr ? error : "out of memory");
    std::free(error);
  }
}

}  // namespace
}  // namespace cassandra_bloom
