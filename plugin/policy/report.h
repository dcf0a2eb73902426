// SPDX-License-Identifier: Apache-2.0

// Reports an error that cannot be returned in a Status. Writes one line into
// RocksDB's LOG or, if there is no LOG, to stderr.
//
// Tested in tests/policy/no_memory_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_

#include <rocksdb/env.h>

#include <cstdint>

namespace cassandra_bloom {

// Like printf, but adds the end of the line. Writes to stderr if `info_log` is
// null. Allocates no memory itself.
__attribute__((format(printf, 2, 3))) void ReportError(
    ROCKSDB_NAMESPACE::Logger* info_log, const char* format, ...);

// Reports that there was no memory for a filter of `num_entries` entries.
void ReportNoMemory(ROCKSDB_NAMESPACE::Logger* info_log, uint64_t num_entries);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_
