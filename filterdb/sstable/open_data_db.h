// SPDX-License-Identifier: Apache-2.0

// Opens the Data.db of an SSTable, which may be compressed.
// Tested in filterdb/tests/sstable/sstable_keys_test.cc.
// Tested in filterdb/tests/sstable/sstable_checks_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_OPEN_DATA_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_OPEN_DATA_DB_H_

#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_source.h"

namespace cassandra_bloom::tools {

// `start` is the path of Data.db without "Data.db". `version` is an SSTable
// version or the name of a FilterForm. Fails if CompressionInfo.db is missing
// although TOC.txt names it. A compressed Data.db is compared with
// CompressionInfo.db so far that one which was cut is noticed.
std::unique_ptr<ByteSource> OpenDataDb(const std::string& start,
                                       std::string_view version,
                                       std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_OPEN_DATA_DB_H_
