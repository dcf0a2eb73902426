// SPDX-License-Identifier: Apache-2.0

// Opens the Data.db of an SSTable, which may be compressed.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_OPEN_DATA_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_OPEN_DATA_DB_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_source.h"

namespace cassandra_bloom::tools {

constexpr char kCompressionInfo[] = "CompressionInfo.db";

// In uncompressed bytes. Without this limit, a chunk of 33 KB on disk could
// take 1 GiB of memory. By default, Cassandra's chunks have 16 KiB, and before
// 4.0 they had 64 KiB.
constexpr size_t kMaxChunkSize = size_t{4} << 20;

// Opens the uncompressed bytes of a Data.db. `start` is its path without
// "Data.db". `version` is an SSTable version or the name of a FilterForm.
//
// A file is compressed if CompressionInfo.db is beside it. Then one chunk is
// kept decompressed, so reading at increasing positions is fastest. Each chunk
// is compared with its checksum. Fails if the file was cut. With an unknown
// compressor, every reading throws NotSupported.
std::unique_ptr<ByteSource> OpenDataDb(const std::string& start,
                                       std::string_view version,
                                       std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_OPEN_DATA_DB_H_
