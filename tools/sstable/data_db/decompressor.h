// SPDX-License-Identifier: Apache-2.0

// Decompresses chunks of a Data.db.
// Tested in tests/sstable/data_db/compressed_data_file_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DECOMPRESSOR_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DECOMPRESSOR_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

// Decompresses `chunk` into `to`, which has room for `size` bytes, and for one
// byte if `size` is 0. Returns false, with the reason in `*what`, unless the
// result has exactly `size` bytes.
using Decompress = std::function<bool(std::string_view chunk, size_t size,
                                      char* to, std::string* what)>;

// `name`: the class of a compressor of Cassandra 5.0.1 or ScyllaDB, without its
// package. Returns nullptr if the class is not known. `dictionary`: for
// ScyllaDB's LZ4WithDictsCompressor and ZstdWithDictsCompressor; other
// compressors ignore it. It must outlive the result.
Decompress DecompressorOf(const std::string& name, std::string_view dictionary);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DECOMPRESSOR_H_
