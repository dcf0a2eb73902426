// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/compressed_data.h"

#include <lz4.h>

#include <algorithm>

#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

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

std::string StoredChunk(const std::string& compressed, const std::string& bytes,
                        size_t max_compressed) {
  if (compressed.size() < max_compressed) {
    return compressed;
  }
  std::string chunk = bytes;
  chunk.resize(std::max(chunk.size(), max_compressed));
  return chunk;
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

}  // namespace cassandra_bloom::testing
