// SPDX-License-Identifier: Apache-2.0

// Tells a user what no Status can carry, in one line in RocksDB's LOG or, where
// there is none, on stderr.
//
// Tested in tests/policy/no_memory_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_

#include <rocksdb/env.h>

#include <cstddef>
#include <cstdint>

namespace cassandra_bloom {

// Like printf, but adds the end of line. Allocates no memory itself. `info_log`
// may be null.
__attribute__((format(printf, 2, 3))) void ReportError(
    ROCKSDB_NAMESPACE::Logger* info_log, const char* format, ...);

// Reports that memory for a filter of `num_entries` entries could not be
// allocated, so that its file has a filter that matches every key.
void ReportNoMemory(ROCKSDB_NAMESPACE::Logger* info_log, uint64_t num_entries);

// Reports that a block was read that is not a filter, so that every key
// matches. Only the first such block is reported, on stderr, because RocksDB
// gives no LOG to readers.
void ReportDamagedBlock(size_t size);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_REPORT_H_
