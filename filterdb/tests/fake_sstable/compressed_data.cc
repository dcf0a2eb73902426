// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/compressed_data.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

// Cassandra writes the length before the block, the lowest byte first.
std::string CompressLz4(const std::string& bytes,
                        const std::string& dictionary) {
  LZ4_stream_t* const stream = LZ4_createStream();
  LZ4_loadDict(stream, dictionary.data(), static_cast<int>(dictionary.size()));
  const int size = static_cast<int>(bytes.size());
  std::string block(static_cast<size_t>(LZ4_compressBound(size)), '\0');
  block.resize(static_cast<size_t>(
      LZ4_compress_fast_continue(stream, bytes.data(), block.data(), size,
                                 static_cast<int>(block.size()), 1)));
  LZ4_freeStream(stream);
  std::string length = BigEndian(bytes.size(), 4);
  std::reverse(length.begin(), length.end());
  return length + block;
}

std::string CompressZstd(const std::string& bytes,
                         const std::string& dictionary) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress_usingDict(
      context, frame.data(), frame.size(), bytes.data(), bytes.size(),
      dictionary.data(), dictionary.size(), /*compressionLevel=*/3));
  ZSTD_freeCCtx(context);
  return frame;
}

std::string CompressDeflate(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string stream(size, '\0');
  compress(reinterpret_cast<Bytef*>(stream.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  stream.resize(size);
  return stream;
}

// Returns a chunk as Data.db stores it. The result is `compressed` if
// `compressed` is shorter than `max_compressed` bytes, and otherwise `bytes`.
// If `bytes` is also shorter, zeros are added up to `max_compressed` bytes,
// because a reader decides by the length whether a chunk is compressed
// (Cassandra's io.compress.CompressedSequentialWriter.flushData).
std::string StoredChunk(const std::string& compressed, const std::string& bytes,
                        size_t max_compressed) {
  if (compressed.size() < max_compressed) {
    return compressed;
  }
  std::string chunk = bytes;
  chunk.resize(std::max(chunk.size(), max_compressed));
  return chunk;
}

uint32_t ChecksumOf(ChunkChecksum kind, const std::string& stored,
                    const std::string& uncompressed) {
  switch (kind) {
    case ChunkChecksum::kAdlerOfStored:
      return Adler32(stored);
    case ChunkChecksum::kCrcOfUncompressed:
      return Crc32(uncompressed);
    case ChunkChecksum::kCrcOfStored:
      break;
  }
  return Crc32(stored);
}

}  // namespace

std::string Compress(const std::string& compressor, const std::string& bytes,
                     const std::string& dictionary) {
  if (compressor == "LZ4Compressor" || compressor == "LZ4WithDictsCompressor") {
    return CompressLz4(bytes, dictionary);
  }
  if (compressor == "SnappyCompressor") {
    std::string compressed;
    snappy::Compress(bytes.data(), bytes.size(), &compressed);
    return compressed;
  }
  if (compressor == "DeflateCompressor") {
    return CompressDeflate(bytes);
  }
  if (compressor == "ZstdCompressor" ||
      compressor == "ZstdWithDictsCompressor") {
    return CompressZstd(bytes, dictionary);
  }
  return bytes;
}

std::string WithChecksum(const std::string& bytes) {
  return bytes + BigEndian(Crc32(bytes), 4);
}

std::string CompressionInfoOf(const std::string& compressor,
                              const Options& options, int64_t chunk_length,
                              std::optional<int64_t> max_compressed_length,
                              int64_t data_length,
                              const std::vector<uint64_t>& offsets) {
  std::string info = WithLength(compressor) + BigEndian(options.size(), 4);
  for (const auto& [name, value] : options) {
    info += WithLength(name) + WithLength(value);
  }
  info += BigEndian(static_cast<uint64_t>(chunk_length), 4);
  if (max_compressed_length) {
    info += BigEndian(static_cast<uint64_t>(*max_compressed_length), 4);
  }
  info += BigEndian(static_cast<uint64_t>(data_length), 8) +
          BigEndian(offsets.size(), 4);
  for (const uint64_t offset : offsets) {
    info += BigEndian(offset, 8);
  }
  return info;
}

CompressedData CompressData(const std::string& data,
                            const Compression& compression) {
  // Without the field, every chunk is stored compressed.
  const size_t max_compressed =
      compression.max_compressed_length
          ? static_cast<size_t>(*compression.max_compressed_length)
          : SIZE_MAX;
  CompressedData result;
  std::vector<uint64_t> offsets;
  for (size_t at = 0; at < data.size(); at += compression.chunk_length) {
    const std::string bytes = data.substr(at, compression.chunk_length);
    const std::string stored = StoredChunk(
        Compress(compression.compressor, bytes), bytes, max_compressed);
    offsets.push_back(result.data.size());
    result.data +=
        stored + BigEndian(ChecksumOf(compression.checksum, stored, bytes), 4);
  }
  result.info =
      CompressionInfoOf(compression.compressor, {},
                        static_cast<int64_t>(compression.chunk_length),
                        compression.max_compressed_length,
                        static_cast<int64_t>(data.size()), offsets);
  return result;
}

}  // namespace cassandra_bloom::testing
