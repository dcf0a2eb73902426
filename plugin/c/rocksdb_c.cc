// SPDX-License-Identifier: Apache-2.0

// The functions of include/cassandra_bloom/c.h that need RocksDB.
//
// Tested in tests/c/rocksdb_test.c.

#include <rocksdb/utilities/object_registry.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_policy.h"
#include "cassandra_bloom/filter_statistics.h"
#include "plugin/c/c_error.h"
#include "plugin/policy/running_rocksdb.h"

using cassandra_bloom::WithoutExceptions;
using ROCKSDB_NAMESPACE::CassandraBloomStatistics;

namespace {

struct Statistic {
  const char* name;
  uint64_t CassandraBloomStatistics::*figure;
};

constexpr Statistic kStatistics[] = {
    {"filters_built", &CassandraBloomStatistics::filters_built},
    {"entries", &CassandraBloomStatistics::entries},
    {"bytes", &CassandraBloomStatistics::bytes},
    {"build_nanos", &CassandraBloomStatistics::build_nanos},
    {"match_all_filters", &CassandraBloomStatistics::match_all_filters},
    {"damaged_blocks", &CassandraBloomStatistics::damaged_blocks},
};

}  // namespace

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

bool cassandra_bloom_get_statistic(const char* name, uint64_t* value,
                                   char** errptr) {
  return WithoutExceptions(errptr, [&](std::string* error) {
    if (name == nullptr) {
      *error = "the name is NULL";
      return false;
    }
    std::string names;
    for (const Statistic& statistic : kStatistics) {
      if (std::strcmp(statistic.name, name) == 0) {
        *value = ROCKSDB_NAMESPACE::GetCassandraBloomStatisticsTotal().*
                 statistic.figure;
        return true;
      }
      names += (names.empty() ? "" : ", ") + std::string(statistic.name);
    }
    *error =
        "there is no statistic '" + std::string(name) + "'; there are " + names;
    return false;
  });
}
