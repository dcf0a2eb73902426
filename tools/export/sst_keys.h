// SPDX-License-Identifier: Apache-2.0

// Reads the keys of an SST file.
//
// Tested in tests/export/export_sst_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_EXPORT_SST_KEYS_H_
#define CASSANDRA_BLOOM_TOOLS_EXPORT_SST_KEYS_H_

#include <rocksdb/table_properties.h>

#include <functional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

using VisitKey = std::function<void(std::string_view key)>;

// Calls `visit` for each entry, also for deletions, in the file's order. So
// equal keys follow each other. A file with deletions is an error before
// RocksDB 9.2. `properties` are those of the file.
bool ForEachKey(const std::string& path,
                const rocksdb::TableProperties& properties,
                const VisitKey& visit, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_EXPORT_SST_KEYS_H_
