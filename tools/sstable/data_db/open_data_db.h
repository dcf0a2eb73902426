// SPDX-License-Identifier: Apache-2.0

// Opens the Data.db of an SSTable, which is compressed if a CompressionInfo.db
// is beside it.
// Tested in tests/sstable/sstable_keys_test.cc.
// Tested in tests/sstable/checked_index_db_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_OPEN_DATA_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_OPEN_DATA_DB_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tools/sstable/data_db/data_file.h"

namespace cassandra_bloom::tools {

// `start`: the path of the Data.db without "Data.db". `version`: the version of
// the SSTable, or one of the forms "ma-to-me" and "na-and-later".
std::unique_ptr<DataFile> OpenDataDb(const std::string& start,
                                     std::string_view version,
                                     std::string* error);

// Gets the number of uncompressed bytes of Data.db without opening it.
bool SizeOfDataDb(const std::string& start, std::string_view version,
                  uint64_t* size, std::string* error);

// The number of uncompressed bytes of the largest chunk of Data.db; 0 if
// Data.db is not compressed, or if CompressionInfo.db cannot be read.
uint64_t LargestChunkOf(const std::string& start, std::string_view version);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_OPEN_DATA_DB_H_
