// The C interface to the registration: include/cassandra_bloom/c.h.

#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <string>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_policy.h"
#include "plugin/core/c_error.h"
#include "plugin/rocksdb/running_rocksdb.h"

#define STRINGIFY_EXPANDED(x) #x
#define STRINGIFY(x) STRINGIFY_EXPANDED(x)

const char* cassandra_bloom_rocksdb_version() {
  return STRINGIFY(ROCKSDB_MAJOR) "." STRINGIFY(ROCKSDB_MINOR) "." STRINGIFY(
      ROCKSDB_PATCH);
}

bool cassandra_bloom_register_with_rocksdb(char** errptr) {
  return cassandra_bloom::WithoutExceptions(errptr, [](std::string* error) {
    *error = cassandra_bloom::RunningRocksdbFault();
    if (!error->empty()) {
      return false;
    }
    // Once, because RocksDB's library keeps every factory that it is given.
    static const int num_factories = register_cassandra_bloom(
        *ROCKSDB_NAMESPACE::ObjectLibrary::Default(), "");
    return num_factories > 0;
  });
}
