// SPDX-License-Identifier: Apache-2.0

// The functions of include/cassandra_bloom/c.h that need RocksDB.
//
// Tested in tests/c/rocksdb_test.c.

#include <rocksdb/utilities/object_registry.h>

#include <string>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_policy.h"
#include "plugin/c/c_error.h"
#include "plugin/policy/running_rocksdb.h"

using cassandra_bloom::WithoutExceptions;

bool cassandra_bloom_register_with_rocksdb(char** errptr) {
  return WithoutExceptions(errptr, [](std::string* error) {
    *error = cassandra_bloom::RunningRocksdbFault();
    if (!error->empty()) {
      return false;
    }
    // Registers only once, because RocksDB's ObjectLibrary keeps a copy of each
    // factory that is added.
    static const int num_factories = register_cassandra_bloom(
        *ROCKSDB_NAMESPACE::ObjectLibrary::Default(), "");
    return num_factories > 0;
  });
}
