// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/data_db/decompressor.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <climits>
#include <cstring>
#include <new>

#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

bool FailWithSize(const std::string& got, size_t size, std::string* what) {
  *what = got + " bytes, not " + std::to_string(size);
  return false;
}

// io.compress.NoopCompressor
class NoopDecompressor final : public Decompressor {
 public:
  bool Decompress(std::string_view chunk, size_t size, char* to,
                  std::string* what) override {
    if (chunk.size() != size) {
      return FailWithSize("has " + std::to_string(chunk.size()), size, what);
    }
    std::memcpy(to, chunk.data(), size);
    return true;
  }
};

// io.compress.LZ4Compressor: a block after the number of uncompressed bytes,
// which is the only number in an SSTable that is little-endian. ScyllaDB's
// lz4_processor (sstables/compressor.cc) writes the same, and may use a
// dictionary.
class Lz4Decompressor final : public Decompressor {
 public:
  explicit Lz4Decompressor(std::string_view dictionary)
      : dictionary_(dictionary) {}

  bool Decompress(std::string_view chunk, size_t size, char* to,
                  std::string* what) override {
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
        chunk.data(), to, static_cast<int>(chunk.size()),
        static_cast<int>(size), dictionary_.data(),
        static_cast<int>(dictionary_.size()));
    if (got < 0) {
      *what = "is not a block of LZ4 of " + std::to_string(size) + " bytes";
      return false;
    }
    return static_cast<size_t>(got) == size ||
           FailWithSize("decompresses to " + std::to_string(got), size, what);
  }

 private:
  const std::string_view dictionary_;
};

// io.compress.SnappyCompressor
class SnappyDecompressor final : public Decompressor {
 public:
  bool Decompress(std::string_view chunk, size_t size, char* to,
                  std::string* what) override {
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
};

// io.compress.DeflateCompressor: the format of zlib.
class DeflateDecompressor final : public Decompressor {
 public:
  DeflateDecompressor() {
    if (inflateInit(&stream_) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~DeflateDecompressor() override { inflateEnd(&stream_); }

  bool Decompress(std::string_view chunk, size_t size, char* to,
                  std::string* what) override {
    if (chunk.size() > UINT_MAX || size > UINT_MAX) {
      *what = "is too large";
      return false;
    }
    inflateReset(&stream_);
    // zlib reads from next_in only, but does not say const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(chunk.data()));
    stream_.avail_in = static_cast<uInt>(chunk.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    if (inflate(&stream_, Z_FINISH) != Z_STREAM_END) {
      *what = "is not zlib's format of " + std::to_string(size) + " bytes";
      return false;
    }
    return stream_.avail_out == 0 ||
           FailWithSize(
               "decompresses to " + std::to_string(size - stream_.avail_out),
               size, what);
  }

 private:
  z_stream stream_ = {};
};

// io.compress.ZstdCompressor: a frame. ScyllaDB's zstd_processor
// (sstables/compressor.cc) may use a dictionary.
class ZstdDecompressor final : public Decompressor {
 public:
  explicit ZstdDecompressor(std::string_view dictionary)
      : context_(ZSTD_createDCtx()),
        dictionary_(ZSTD_createDDict(dictionary.data(), dictionary.size())) {
    if (context_ == nullptr || dictionary_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  bool Decompress(std::string_view chunk, size_t size, char* to,
                  std::string* what) override {
    const size_t got =
        ZSTD_decompress_usingDDict(context_.get(), to, size, chunk.data(),
                                   chunk.size(), dictionary_.get());
    if (ZSTD_isError(got) != 0) {
      *what = std::string("is not Zstandard of ") + std::to_string(size) +
              " bytes: " + ZSTD_getErrorName(got);
      return false;
    }
    return got == size ||
           FailWithSize("decompresses to " + std::to_string(got), size, what);
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_DDict* dictionary) const {
      ZSTD_freeDDict(dictionary);
    }
  };

  const std::unique_ptr<ZSTD_DCtx, Free> context_;
  const std::unique_ptr<ZSTD_DDict, Free> dictionary_;
};

}  // namespace

std::unique_ptr<Decompressor> NewDecompressor(const std::string& name,
                                              const std::string& dictionary) {
  if (name == "LZ4Compressor") {
    return std::make_unique<Lz4Decompressor>(std::string_view());
  }
  if (name == "LZ4WithDictsCompressor") {
    return std::make_unique<Lz4Decompressor>(dictionary);
  }
  if (name == "SnappyCompressor") {
    return std::make_unique<SnappyDecompressor>();
  }
  if (name == "DeflateCompressor") {
    return std::make_unique<DeflateDecompressor>();
  }
  if (name == "ZstdCompressor") {
    return std::make_unique<ZstdDecompressor>(std::string_view());
  }
  if (name == "ZstdWithDictsCompressor") {
    return std::make_unique<ZstdDecompressor>(dictionary);
  }
  if (name == "NoopCompressor") {
    return std::make_unique<NoopDecompressor>();
  }
  return nullptr;
}

}  // namespace cassandra_bloom::tools
