// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/data_db/open_data_db.h"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

constexpr size_t kChecksumSize = 4;

class CompressedDataFile final : public ByteSource {
 public:
  CompressedDataFile(std::unique_ptr<RandomAccessFile> file,
                     std::unique_ptr<CompressionInfo> info,
                     ChunkChecksum checksum)
      : ByteSource(file->path(), info->data_length),
        file_(std::move(file)),
        info_(std::move(info)),
        checksum_(checksum),
        decompress_(DecompressorOf(*info_)) {}

  bool ReadSome(uint64_t position, std::string_view* bytes,
                std::string* error) override {
    if ((position < begin_ || position - begin_ >= chunk_.size()) &&
        !Load(position / info_->chunk_length, error)) {
      return false;
    }
    *bytes = chunk_;
    bytes->remove_prefix(static_cast<size_t>(position - begin_));
    return true;
  }

  // Checks the last chunks: the last one with data, and the one without data
  // that may follow. So a file that was cut is noticed. If the compressor is
  // unknown or the chunk is too large, checks only that the file reaches it.
  bool CheckEnd(std::string* error) {
    const uint64_t last = info_->num_chunks - 1;
    CompressionInfo::Chunk ignored_chunk;
    if (decompress_ == nullptr ||
        info_->UncompressedSize(last) > kMaxChunkSize) {
      return info_->Find(last, *file_, &ignored_chunk, error);
    }
    return Load(last, error) &&
           (!info_->has_empty_chunk || Load(last + 1, error));
  }

 private:
  bool Load(uint64_t number, std::string* error) {
    chunk_ = {};
    begin_ = number * info_->chunk_length;
    if (decompress_ == nullptr) {
      constexpr size_t kMaxNameSize = 100;  // In bytes.
      throw NotSupported(path() + ": compressor " +
                         info_->compressor.substr(0, kMaxNameSize));
    }
    CompressionInfo::Chunk chunk;
    if (!info_->Find(number, *file_, &chunk, error)) {
      return false;
    }
    const size_t size = info_->UncompressedSize(number);
    if (size > kMaxChunkSize) {  // Cassandra allows chunks of up to 1 GiB.
      throw NotSupported(path() + ": " + NameOf(number) + " of " +
                         std::to_string(size) + " bytes, more than " +
                         std::to_string(kMaxChunkSize));
    }
    std::string what;
    if (!CheckSize(chunk.size, number, &what)) {
      return Fail(number, chunk.offset, what, error);
    }
    const auto stored_size = static_cast<size_t>(chunk.size);
    std::string_view stored;
    if (!file_->Read(chunk.offset, stored_size + kChecksumSize, &stored,
                     error)) {
      return false;
    }
    stored.remove_suffix(kChecksumSize);
    const bool of_stored = checksum_ != ChunkChecksum::kCrcOfUncompressed;
    if ((of_stored && !CheckChecksum(stored, stored, &what)) ||
        !Unpack(stored, size, &what) ||
        (!of_stored && !CheckChecksum(chunk_, stored, &what))) {
      chunk_ = {};
      return Fail(number, chunk.offset, what, error);
    }
    return true;
  }

  // Fails if a chunk cannot have the size `stored_size`. An uncompressed chunk
  // may be longer than its data, because Cassandra pads the last chunk with
  // zeros up to the longest compressed size
  // (CompressedSequentialWriter.flushData). A compressed chunk may be longer
  // than its data, but no compressor adds more than a sixth and some bytes.
  bool CheckSize(uint64_t stored_size, uint64_t number,
                 std::string* what) const {
    const size_t size = info_->UncompressedSize(number);
    const uint64_t chunk_length = info_->chunk_length;
    const uint64_t max_compressed = info_->max_compressed_length;
    const bool is_raw = stored_size >= max_compressed;
    const uint64_t limit =
        is_raw
            ? std::min(std::max<uint64_t>(size, max_compressed), chunk_length)
            : chunk_length + chunk_length / 4 + 1024;
    if (stored_size > limit || (is_raw && stored_size < size)) {
      *what = "has " + std::to_string(stored_size) + " bytes for " +
              std::to_string(size);
      return false;
    }
    return true;
  }

  // The stored checksum follows the bytes of `stored` in memory.
  bool CheckChecksum(std::string_view summed, std::string_view stored,
                     std::string* what) const {
    const auto expected =
        static_cast<uint32_t>(LoadBigEndian32(stored.data() + stored.size()));
    const auto computed =
        checksum_ == ChunkChecksum::kAdlerOfStored
            ? static_cast<uint32_t>(
                  adler32_z(1, reinterpret_cast<const Bytef*>(summed.data()),
                            summed.size()))
            : Crc32(summed);
    if (computed != expected) {
      *what = "differs from its checksum";
      return false;
    }
    return true;
  }

  bool Unpack(std::string_view stored, size_t size, std::string* what) {
    // Cassandra's DeflateCompressor writes no bytes at all for an empty chunk.
    if (stored.size() >= info_->max_compressed_length || stored.empty()) {
      chunk_ = stored.substr(0, size);
      if (size == 0 &&
          stored.find_first_not_of('\0') != std::string_view::npos) {
        *what = "has other bytes than zeros after its data";
        return false;
      }
      return true;
    }
    unpacked_.resize(std::max(std::max<size_t>(size, 1), unpacked_.size()));
    chunk_ = std::string_view(unpacked_.data(), size);
    return decompress_(stored, size, unpacked_.data(), what);
  }

  bool Fail(uint64_t number, uint64_t offset, const std::string& what,
            std::string* error) const {
    return FailAtByte(path(), offset,
                      NameOf(number) + " " + what + "; the file is damaged",
                      error);
  }

  std::string NameOf(uint64_t number) const {
    return "chunk " + std::to_string(number) + " (" + info_->compressor + ")";
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::unique_ptr<CompressionInfo> info_;
  const ChunkChecksum checksum_;
  const Decompress decompress_;
  std::vector<char> unpacked_;
  uint64_t begin_ = 0;      // Offset of chunk_ in the uncompressed data.
  std::string_view chunk_;  // Points into unpacked_ or file_, or is empty.
};

}  // namespace

std::unique_ptr<ByteSource> OpenDataDb(const std::string& start,
                                       std::string_view version,
                                       std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  if (known == nullptr) {
    return nullptr;
  }
  const std::string info_path = start + kCompressionInfo;
  if (!NameExists(info_path)) {
    return RandomAccessFile::Open(start + "Data.db", error);
  }
  auto info =
      CompressionInfo::Open(info_path, known->has_max_compressed_length, error);
  auto file = info == nullptr
                  ? nullptr
                  : RandomAccessFile::Open(start + "Data.db", error);
  if (file == nullptr) {
    return nullptr;
  }
  auto data = std::make_unique<CompressedDataFile>(
      std::move(file), std::move(info), known->checksum);
  return data->CheckEnd(error) ? std::move(data) : nullptr;
}

}  // namespace cassandra_bloom::tools
