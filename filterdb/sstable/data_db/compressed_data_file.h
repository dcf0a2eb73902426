// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_

#include <memory>
#include <string>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/random_access_file.h"
#include "filterdb/sstable/data_db/compression_info.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {

// In uncompressed bytes. Without this limit, a chunk of 33 KB on disk could
// take 1 GiB of memory. By default, Cassandra's chunks have 16 KiB, and before
// 4.0 they had 64 KiB.
constexpr size_t kMaxChunkSize = size_t{4} << 20;

// Opens a compressed Data.db. Keeps one chunk decompressed, so reading at
// increasing positions is fastest. Compares each chunk with its checksum.
// Returns nullptr if the file was cut. With an unknown compressor, every
// reading fails.
std::unique_ptr<ByteSource> NewCompressedDataFile(
    std::unique_ptr<RandomAccessFile> file,
    std::unique_ptr<CompressionInfo> info, ChunkChecksum checksum,
    std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_
