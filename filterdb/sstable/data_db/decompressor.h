// SPDX-License-Identifier: Apache-2.0

// Decompresses chunks of a Data.db.
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_DECOMPRESSOR_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_DECOMPRESSOR_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

// Decompresses `chunk` into `to`, which has room for max(`size`, 1) bytes.
// Returns false, with the reason in `*what`, unless the result has exactly
// `size` bytes.
using Decompress = std::function<bool(std::string_view chunk, size_t size,
                                      char* to, std::string* what)>;

// The class of Cassandra that uses a dictionary.
inline constexpr char kZstdDictionaryCompressor[] = "ZstdDictionaryCompressor";

// Returns the function for the compressor `name`, or nullptr if the name is
// unknown. `name` is a class of Cassandra or ScyllaDB, without its package.
// `dictionary` must outlive the result. It is "" but for LZ4WithDictsCompressor
// and ZstdWithDictsCompressor (ScyllaDB) and ZstdDictionaryCompressor
// (Cassandra).
Decompress DecompressorOf(const std::string& name, std::string_view dictionary);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_DECOMPRESSOR_H_
