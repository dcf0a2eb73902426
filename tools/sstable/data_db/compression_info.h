// SPDX-License-Identifier: Apache-2.0

// A CompressionInfo.db, which tells how the Data.db of an SSTable is compressed
// and where its chunks are.
//
//    name of the compressor       uint16 length, bytes
//    number of options            int32
//    each option: name, value     uint16 length, bytes
//    length of a chunk            int32, uncompressed; a power of two
//    longest compressed chunk     int32; `na` and later, `da`
//    length of the data           int64, uncompressed
//    number of chunks             int32
//    offset of each chunk         int64, in Data.db
//
// In Data.db, 4 bytes of checksum follow each chunk. A chunk is stored
// uncompressed if compression does not make it shorter than the "longest
// compressed chunk". One chunk of 0 bytes may follow the chunks of the data. A
// node writes it when it rewrites an SSTable, as in a compaction: it then syncs
// Data.db a second time without new data. (io.compress.CompressionMetadata and
// CompressedSequentialWriter in cassandra-5.0.1; ScyllaDB's
// sstables::compression in sstables/compress.hh.)
// Tested in tests/sstable/data_db/compressed_data_file_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSION_INFO_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSION_INFO_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tools/sstable/bytes/byte_reader.h"
#include "tools/sstable/bytes/page_cache.h"
#include "tools/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

class CompressionInfo {
 public:
  // Where a chunk is in Data.db.
  struct Chunk {
    uint64_t offset = 0;
    uint64_t size = 0;  // In bytes, as stored, without the checksum.
  };

  // Reads everything but the offsets of the chunks.
  // `has_max_compressed_length`: whether this version of SSTables has the
  // "longest compressed chunk".
  static std::unique_ptr<CompressionInfo> Read(
      std::unique_ptr<RandomAccessFile> file, bool has_max_compressed_length,
      std::string* error);

  const std::string& path() const { return file_->path(); }

  // The class of the compressor, without its package.
  const std::string& compressor() const { return compressor_; }

  // The dictionary that ScyllaDB keeps in the options; empty if there is none.
  const std::string& dictionary() const { return dictionary_; }

  uint32_t chunk_length() const { return chunk_length_; }
  uint64_t data_length() const { return data_length_; }

  // The number of chunks of the data, without the empty chunk after them.
  uint64_t num_chunks() const { return num_chunks_; }
  // Whether an empty chunk follows the data. Its number is num_chunks().
  bool has_empty_chunk() const { return has_empty_chunk_; }

  // Chunks of at least this many stored bytes are not compressed.
  uint64_t max_compressed_length() const { return max_compressed_length_; }

  // How many bytes chunk `number` has when it is not compressed.
  size_t UncompressedSize(uint64_t number) const;

  // Finds chunk `number` in a Data.db of `compressed_size` bytes. `number` must
  // be less than num_chunks(), or equal to it if has_empty_chunk().
  bool Find(uint64_t number, uint64_t compressed_size, Chunk* chunk,
            std::string* error);

 private:
  struct DictionaryParts {
    std::map<uint32_t, std::string> by_number;
    size_t size = 0;  // Of all parts, in bytes.
  };

  explicit CompressionInfo(std::unique_ptr<RandomAccessFile> file);

  // The functions that take `header` leave their errors in it.
  void ReadOptions(ByteReader* header);
  void AddDictionaryPart(std::string_view number, const std::string& part,
                         uint64_t at, DictionaryParts* parts,
                         ByteReader* header);
  void ReadLengths(bool has_max_compressed_length, ByteReader* header);
  bool OffsetOf(uint64_t number, uint64_t* offset, std::string* error);

  const std::unique_ptr<RandomAccessFile> file_;
  PageCache pages_;
  uint64_t offsets_at_ = 0;  // Where the offsets begin.
  std::string compressor_;
  std::string dictionary_;
  uint32_t chunk_length_ = 0;
  uint64_t max_compressed_length_ = UINT64_MAX;
  uint64_t data_length_ = 0;
  uint64_t num_chunks_ = 0;
  bool has_empty_chunk_ = false;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_COMPRESSION_INFO_H_
