// SPDX-License-Identifier: Apache-2.0

// Decompresses chunks of a Data.db.
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <new>

#include "filterdb/sstable/data_db/open_data_db.h"
#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

bool FailWithSize(const std::string& got, size_t size, std::string* what) {
  *what = got + " bytes, not " + std::to_string(size);
  return false;
}

// Reads the format of Cassandra's io.compress.NoopCompressor.
bool CopyNoop(std::string_view chunk, size_t size, char* to,
              std::string* what) {
  if (chunk.size() != size) {
    return FailWithSize("has " + std::to_string(chunk.size()), size, what);
  }
  std::memcpy(to, chunk.data(), size);
  return true;
}

// Reads the format of Cassandra's io.compress.LZ4Compressor: the uncompressed
// size in 4 bytes, little-endian, then a block of LZ4. ScyllaDB's lz4_processor
// (sstables/compressor.cc) writes the same, and may use a dictionary.
bool DecompressLz4(std::string_view dictionary, std::string_view chunk,
                   size_t size, char* to, std::string* what) {
  constexpr size_t kSizeOfLength = 4;
  if (chunk.size() < kSizeOfLength || chunk.size() > INT_MAX) {
    *what = "has " + std::to_string(chunk.size()) + " bytes of LZ4";
    return false;
  }
  const uint32_t length = LoadLittleEndian32(chunk.data());
  if (length != size) {
    return FailWithSize("says it has " + std::to_string(length), size, what);
  }
  chunk.remove_prefix(kSizeOfLength);
  const int got = LZ4_decompress_safe_usingDict(
      chunk.data(), to, static_cast<int>(chunk.size()), static_cast<int>(size),
      dictionary.data(), static_cast<int>(dictionary.size()));
  if (got < 0) {
    *what = "is not a block of LZ4 of " + std::to_string(size) + " bytes";
    return false;
  }
  return static_cast<size_t>(got) == size ||
         FailWithSize("decompresses to " + std::to_string(got), size, what);
}

// Reads the format of Cassandra's io.compress.SnappyCompressor.
bool DecompressSnappy(std::string_view chunk, size_t size, char* to,
                      std::string* what) {
  size_t length = 0;
  if (!snappy::GetUncompressedLength(chunk.data(), chunk.size(), &length)) {
    *what = "is not Snappy";
    return false;
  }
  if (length != size) {
    return FailWithSize("says it has " + std::to_string(length), size, what);
  }
  if (!snappy::RawUncompress(chunk.data(), chunk.size(), to)) {
    *what = "is not Snappy of " + std::to_string(size) + " bytes";
    return false;
  }
  return true;
}

// Reads the format of Cassandra's io.compress.DeflateCompressor, that of zlib.
bool DecompressDeflate(std::string_view chunk, size_t size, char* to,
                       std::string* what) {
  // uncompress() gets room for at least 1 byte, because with room for 0 bytes
  // it would accept a chunk that holds a byte.
  uLongf got = std::max<size_t>(size, 1);
  const int result =
      uncompress(reinterpret_cast<Bytef*>(to), &got,
                 reinterpret_cast<const Bytef*>(chunk.data()), chunk.size());
  if (result == Z_MEM_ERROR) {
    throw std::bad_alloc();
  }
  if (result != Z_OK) {
    *what = "is not zlib's format of " + std::to_string(size) + " bytes";
    return false;
  }
  return got == size ||
         FailWithSize("decompresses to " + std::to_string(got), size, what);
}

// Reads the format of Cassandra's io.compress.ZstdCompressor: a frame of
// Zstandard. ScyllaDB's zstd_processor (sstables/compressor.cc) and Cassandra's
// ZstdDictionaryCompressor may use a dictionary. Without one, the latter writes
// the same as ZstdCompressor.
Decompress ZstdDecompressor(std::string_view dictionary) {
  const std::shared_ptr<ZSTD_DCtx> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  const std::shared_ptr<ZSTD_DDict> prepared(
      ZSTD_createDDict(dictionary.data(), dictionary.size()), ZSTD_freeDDict);
  if (context == nullptr || prepared == nullptr) {
    throw std::bad_alloc();
  }
  return [context, prepared](std::string_view chunk, size_t size, char* to,
                             std::string* what) {
    const size_t got = ZSTD_decompress_usingDDict(
        context.get(), to, size, chunk.data(), chunk.size(), prepared.get());
    if (ZSTD_isError(got) != 0) {
      *what = "is not Zstandard of " + std::to_string(size) +
              " bytes: " + ZSTD_getErrorName(got);
      return false;
    }
    return got == size ||
           FailWithSize("decompresses to " + std::to_string(got), size, what);
  };
}

}  // namespace

Decompress DecompressorOf(const CompressionInfo& info) {
  const std::string& name = info.compressor;
  const std::string_view dictionary = info.dictionary;
  // Cassandra uses a dictionary at the end of CompressionInfo.db with every
  // compressor.
  if (info.has_zstd_dictionary || name == "ZstdCompressor" ||
      name == "ZstdWithDictsCompressor" || name == "ZstdDictionaryCompressor") {
    return ZstdDecompressor(dictionary);
  }
  if (name == "LZ4Compressor" || name == "LZ4WithDictsCompressor") {
    return [dictionary](std::string_view chunk, size_t size, char* to,
                        std::string* what) {
      return DecompressLz4(dictionary, chunk, size, to, what);
    };
  }
  if (name == "SnappyCompressor") {
    return DecompressSnappy;
  }
  if (name == "DeflateCompressor") {
    return DecompressDeflate;
  }
  if (name == "NoopCompressor") {
    return CopyNoop;
  }
  return nullptr;
}

}  // namespace cassandra_bloom::tools
