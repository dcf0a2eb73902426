// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_COMPRESSED_DATA_FILE_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_COMPRESSED_DATA_FILE_H_

#include <memory>
#include <string>

#include "tools/sstable/compression_info.h"
#include "tools/sstable/data_file.h"
#include "tools/sstable/random_access_file.h"

namespace cassandra_bloom::tools {

// The 4 bytes after each chunk, by the version of the SSTable.
enum class ChunkChecksum {
  kCrcOfUncompressed,  // ia to ja
  kAdlerOfStored,      // jb to lb
  kCrcOfStored,        // ma and later
};

// A Data.db whose chunks are compressed. Keeps one chunk decompressed, so each
// is decompressed once if positions increase. Checks the checksum of each chunk
// that is read. Fails if the compressor is not known.
std::unique_ptr<DataFile> NewCompressedDataFile(
    std::unique_ptr<RandomAccessFile> file,
    std::unique_ptr<CompressionInfo> info, ChunkChecksum checksum,
    std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_COMPRESSED_DATA_FILE_H_
