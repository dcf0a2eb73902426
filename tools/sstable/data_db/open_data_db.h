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

// `start`: the path of the Data.db without "Data.db". `version`: that of the
// SSTable, or the form of its filter from "ma-to-me" on.
std::unique_ptr<DataFile> OpenDataDb(const std::string& start,
                                     std::string_view version,
                                     std::string* error);

// The number of uncompressed bytes, without opening Data.db.
bool SizeOfDataDb(const std::string& start, std::string_view version,
                  uint64_t* size, std::string* error);

// The number of uncompressed bytes of the largest chunk of Data.db; 0 if it is
// not compressed, or if that cannot be found out.
uint64_t LargestChunkOf(const std::string& start, std::string_view version);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_OPEN_DATA_DB_H_
