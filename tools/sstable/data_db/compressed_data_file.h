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

// The largest uncompressed size, in bytes, of a chunk that is read. Chunks are
// decompressed in memory, and a small file may hold a huge chunk: Zstandard
// stores 1 GiB of equal bytes in 33 KB. (By default, the chunks of Cassandra
// have 16 KiB, and 64 KiB before 4.0. Its users may choose any power of two;
// users of ScyllaDB, up to 128 KiB.)
constexpr size_t kMaxChunkSize = size_t{4} << 20;

// Opens a Data.db whose chunks are compressed. One chunk is kept decompressed,
// so each chunk is decompressed only once if positions increase. Each chunk
// that is read is compared with its checksum. Returns nullptr, with `*error`,
// if the compressor is not known.
std::unique_ptr<DataFile> NewCompressedDataFile(
    std::unique_ptr<RandomAccessFile> file,
    std::unique_ptr<CompressionInfo> info, ChunkChecksum checksum,
    std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSED_DATA_FILE_H_
