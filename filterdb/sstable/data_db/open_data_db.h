// SPDX-License-Identifier: Apache-2.0

// Opens the Data.db of an SSTable, which may be compressed.
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_OPEN_DATA_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_OPEN_DATA_DB_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_source.h"

namespace cassandra_bloom::tools {

// What CompressionInfo.db says.
struct CompressionInfo {
  struct Chunk {
    uint64_t offset = 0;
    uint64_t size = 0;  // In bytes, as stored, without the checksum.
  };

  // Reads everything but the offsets of the chunks.
  static std::unique_ptr<CompressionInfo> Open(const std::string& path,
                                               bool has_max_compressed_length,
                                               std::string* error);

  size_t UncompressedSize(uint64_t number) const;

  // Finds a chunk in `data`, which is Data.db as it is on disk.
  bool Find(uint64_t number, const ByteSource& data, Chunk* chunk,
            std::string* error) const;

  std::unique_ptr<ByteSource> file;
  uint64_t offsets_at = 0;  // Where the chunk offsets begin.
  std::string compressor;   // The name of the class, without its package.
  // The dictionary that ScyllaDB stores in the options, or that Cassandra
  // stores at the end, or "" if there is none.
  std::string dictionary;
  bool has_zstd_dictionary = false;  // Whether it is one of Cassandra's.
  uint32_t chunk_length = 0;
  // Chunks with at least this many bytes in Data.db are not compressed.
  uint64_t max_compressed_length = UINT64_MAX;
  uint64_t data_length = 0;
  uint64_t num_chunks = 0;  // With data.
  // Whether an empty chunk follows the data. Its number is num_chunks.
  bool has_empty_chunk = false;
};

// Decompresses `chunk` into `to`, which has room for max(`size`, 1) bytes.
// Returns false, with the reason in `*what`, unless the result has exactly
// `size` bytes.
using Decompress = std::function<bool(std::string_view chunk, size_t size,
                                      char* to, std::string* what)>;

// Returns nullptr if the compressor is unknown. `info` must outlive the result.
Decompress DecompressorOf(const CompressionInfo& info);

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
