// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/sstable/data_file.h"

#include <algorithm>
#include <utility>

#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

class PlainDataFile final : public DataFile {
 public:
  explicit PlainDataFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)), buffer_(new char[kBufferSize]) {}

  const std::string& path() const override { return file_->path(); }
  uint64_t size() const override { return file_->size(); }

  bool Read(uint64_t position, size_t size, std::string_view* bytes,
            std::string* error) override {
    const bool is_buffered =
        position >= begin_ && position + size <= begin_ + buffered_;
    if (!is_buffered && !Fill(position, size, error)) {
      return false;
    }
    *bytes = std::string_view(
        buffer_.get() + static_cast<size_t>(position - begin_), size);
    return true;
  }

 private:
  static constexpr size_t kBufferSize = 2 * kMaxRead;
  static constexpr size_t kPageSize = 4096;

  // Reads much if the wanted bytes are near those before, as the keys of small
  // partitions are, and little if they are far away.
  bool Fill(uint64_t position, size_t size, std::string* error) {
    const bool is_near =
        position >= begin_ && position - begin_ <= buffered_ + kPageSize;
    const size_t wanted =
        is_near ? kBufferSize : std::max<size_t>(size, kPageSize);
    begin_ = position;
    buffered_ = 0;
    const auto left = static_cast<size_t>(
        std::min<uint64_t>(wanted, file_->size() - position));
    if (!file_->Read(position, left, buffer_.get(), error)) {
      return false;
    }
    buffered_ = left;
    return true;
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::unique_ptr<char[]> buffer_;
  uint64_t begin_ = 0;  // The position of the first buffered byte.
  size_t buffered_ = 0;
};

}  // namespace

std::unique_ptr<DataFile> NewPlainDataFile(
    std::unique_ptr<RandomAccessFile> file) {
  return std::make_unique<PlainDataFile>(std::move(file));
}

bool ReadWithShortLength(DataFile* file, uint64_t position,
                         std::string_view* bytes, std::string* error) {
  constexpr size_t kLengthSize = 2;
  if (position >= file->size() || file->size() - position < kLengthSize) {
    return FailAtByte(
        file->path(), position,
        "a key's length lies beyond the end, " + std::to_string(file->size()),
        error);
  }
  if (!file->Read(position, kLengthSize, bytes, error)) {
    return false;
  }
  const size_t size = LoadBigEndian16(bytes->data());
  if (file->size() - position - kLengthSize < size) {
    return FailAtByte(file->path(), position,
                      "a key of " + std::to_string(size) +
                          " bytes reaches beyond the end, " +
                          std::to_string(file->size()),
                      error);
  }
  return file->Read(position + kLengthSize, size, bytes, error);
}

}  // namespace cassandra_bloom::tools
