// SPDX-License-Identifier: Apache-2.0

// What a user must be told where no Status can carry it: one line in RocksDB's
// LOG, or on stderr where there is none.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_

#include <rocksdb/env.h>

#include <cstddef>
#include <cstdint>

namespace cassandra_bloom {

// As printf, without the end of line. Allocates nothing itself. `info_log` may
// be null.
__attribute__((format(printf, 2, 3))) void ReportError(
    ROCKSDB_NAMESPACE::Logger* info_log, const char* format, ...);

// A filter could not be built for want of memory, so every key matches.
void ReportNoMemory(ROCKSDB_NAMESPACE::Logger* info_log, uint64_t num_entries);

// A block that is no filter was met, so every key matches. Reported the first
// time, on stderr, because RocksDB gives no LOG to readers.
void ReportDamagedBlock(size_t size);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_
