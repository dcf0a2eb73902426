// SPDX-License-Identifier: Apache-2.0

// CompressionInfo.db tells how the Data.db of an SSTable is compressed.
//
//    name of the compressor       uint16 length, then the bytes
//    number of options            int32
//    each option: name, value     for both: uint16 length, then the bytes
//    length of a chunk            int32, uncompressed bytes, a power of two
//    longest compressed chunk     int32, only since `na`, and in DSE's
//    length of the data           int64, uncompressed bytes
//    number of chunks             int32
//    offset of each chunk         int64, position in Data.db
//
// In Cassandra 6, a dictionary may follow. Its chunks are then decompressed
// with it, whatever the name of the compressor is:
//
//    kind                         1 byte, 0 for Zstandard
//    number                       int64
//    the dictionary               int32 length, then the bytes
//    checksum                     CRC-32C of kind, number and bytes; the
//                                 number is little-endian in this sum
//
// In Data.db, 4 bytes of checksum follow each chunk. A chunk stays uncompressed
// if compression would not make it shorter than the "longest compressed chunk".
// An SSTable that Cassandra has rewritten has one more chunk after the data,
// which has 0 bytes of data. (io.compress.CompressionMetadata and
// CompressedSequentialWriter in cassandra-5.0.1; sstables::compression in
// sstables/compress.hh of ScyllaDB; an SSTable of Cassandra's trunk for the
// dictionary.)
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_COMPRESSION_INFO_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_COMPRESSION_INFO_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_source.h"

namespace cassandra_bloom::tools {

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

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_COMPRESSION_INFO_H_
