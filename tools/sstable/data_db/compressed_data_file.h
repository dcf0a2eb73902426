// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_

#include <memory>
#include <string>

#include "plugin/filter_db/sstable_version.h"
#include "tools/sstable/bytes/random_access_file.h"
#include "tools/sstable/data_db/compression_info.h"
#include "tools/sstable/data_db/data_file.h"

namespace cassandra_bloom::tools {

// The largest chunk that is read. Chunks are decompressed in memory, and a
// small file may grow large: Zstandard stores 1 GiB of equal bytes in 33 KB.
// (Cassandra makes chunks of 16 KiB, before 4.0 of 64 KiB, and takes any power
// of two; ScyllaDB takes up to 128 KiB.)
constexpr size_t kMaxChunkSize = size_t{4} << 20;

// A Data.db whose chunks are compressed. Keeps one chunk decompressed, so each
// is decompressed once if positions increase. Checks the checksum of each chunk
// that is read. Fails if the compressor is not known.
std::unique_ptr<DataFile> NewCompressedDataFile(
    std::unique_ptr<RandomAccessFile> file,
    std::unique_ptr<CompressionInfo> info, ChunkChecksum checksum,
    std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_
