// SPDX-License-Identifier: Apache-2.0

// The functions of include/cassandra_bloom/c.h that need RocksDB.
//
// Tested in tests/c/rocksdb_test.c.

#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <cstring>
#include <string>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_policy.h"
#include "plugin/c/c_error.h"
#include "plugin/policy/running_rocksdb.h"

using cassandra_bloom::WithoutExceptions;
using ROCKSDB_NAMESPACE::CassandraBloomStatistics;

struct cassandra_bloom_statistics_t {
  CassandraBloomStatistics figures;
};

#define STRINGIFY_EXPANDED(x) #x
#define STRINGIFY(x) STRINGIFY_EXPANDED(x)

const char* cassandra_bloom_rocksdb_version() {
  return STRINGIFY(ROCKSDB_MAJOR) "." STRINGIFY(ROCKSDB_MINOR) "." STRINGIFY(
      ROCKSDB_PATCH);
}

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

cassandra_bloom_statistics_t* cassandra_bloom_statistics_total(char** errptr) {
  return WithoutExceptions(errptr, [](std::string*) {
    return new cassandra_bloom_statistics_t{
        ROCKSDB_NAMESPACE::GetCassandraBloomStatisticsTotal()};
  });
}

void cassandra_bloom_statistics_destroy(
    cassandra_bloom_statistics_t* statistics) {
  delete statistics;
}

uint64_t cassandra_bloom_statistics_filters_built(
    const cassandra_bloom_statistics_t* statistics) {
  return statistics->figures.filters_built;
}

uint64_t cassandra_bloom_statistics_entries(
    const cassandra_bloom_statistics_t* statistics) {
  return statistics->figures.entries;
}

uint64_t cassandra_bloom_statistics_bytes(
    const cassandra_bloom_statistics_t* statistics) {
  return statistics->figures.bytes;
}

uint64_t cassandra_bloom_statistics_build_nanos(
    const cassandra_bloom_statistics_t* statistics) {
  return statistics->figures.build_nanos;
}

uint64_t cassandra_bloom_statistics_match_all_filters(
    const cassandra_bloom_statistics_t* statistics) {
  return statistics->figures.match_all_filters;
}

uint64_t cassandra_bloom_statistics_damaged_blocks(
    const cassandra_bloom_statistics_t* statistics) {
  return statistics->figures.damaged_blocks;
}

char* cassandra_bloom_statistics_to_string(
    const cassandra_bloom_statistics_t* statistics, char** errptr) {
  return WithoutExceptions(errptr, [&](std::string* error) {
    char* const text = strdup(statistics->figures.ToString().c_str());
    if (text == nullptr) {
      *error = "out of memory";
    }
    return text;
  });
}
