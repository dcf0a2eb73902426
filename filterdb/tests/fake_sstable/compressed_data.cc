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
                            const std::string& compressor, size_t chunk_length,
                            std::optional<int32_t> max_compressed) {
  CompressedData result;
  std::vector<uint64_t> offsets;
  for (size_t at = 0; at < data.size(); at += chunk_length) {
    const std::string bytes = data.substr(at, chunk_length);
    std::string stored = Compress(compressor, bytes);
    // Without the field, every chunk is stored compressed. With it, a reader
    // decides by the length whether a chunk is compressed, so zeros are added
    // to a short one that is not
    // (Cassandra's io.compress.CompressedSequentialWriter.flushData).
    const auto limit = static_cast<size_t>(max_compressed.value_or(INT32_MAX));
    if (stored.size() >= limit) {
      stored = bytes;
      stored.resize(std::max(bytes.size(), limit));
    }
    offsets.push_back(result.data.size());
    result.data += WithChecksum(stored);
  }
  result.info = CompressionInfoOf(
      compressor, {}, static_cast<int64_t>(chunk_length), max_compressed,
      static_cast<int64_t>(data.size()), offsets);
  return result;
}

}  // namespace cassandra_bloom::testing
