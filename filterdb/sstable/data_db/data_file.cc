// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/data_db/data_file.h"

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

  bool ReadSome(uint64_t position, std::string_view* bytes,
                std::string* error) override {
    const bool is_buffered =
        position >= begin_ && position - begin_ < buffered_;
    if (!is_buffered && !Fill(position, error)) {
      return false;
    }
    const auto from = static_cast<size_t>(position - begin_);
    *bytes = std::string_view(buffer_.get() + from, buffered_ - from);
    return true;
  }

 private:
  static constexpr size_t kBufferSize = 65536;
  static constexpr size_t kPageSize = 4096;

  // Reads 64 KiB if `position` is near the previous read. Otherwise reads 4
  // KiB.
  bool Fill(uint64_t position, std::string* error) {
    const bool is_near =
        position >= begin_ && position - begin_ <= buffered_ + kPageSize;
    const auto size = static_cast<size_t>(std::min<uint64_t>(
        is_near ? kBufferSize : kPageSize, file_->size() - position));
    begin_ = position;
    buffered_ = 0;
    if (!file_->Read(position, size, buffer_.get(), error)) {
      return false;
    }
    buffered_ = size;
    return true;
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::unique_ptr<char[]> buffer_;
  uint64_t begin_ = 0;  // The position of the first buffered byte.
  size_t buffered_ = 0;
};

}  // namespace

std::unique_ptr<DataFile> OpenPlainDataFile(const std::string& path,
                                            std::string* error) {
  auto file = RandomAccessFile::Open(path, error);
  return file == nullptr ? nullptr
                         : std::make_unique<PlainDataFile>(std::move(file));
}

bool DataFile::Read(uint64_t position, size_t size, std::string_view* bytes,
                    std::string* error) {
  joined_.clear();
  *bytes = {};
  while (joined_.size() < size) {
    if (!ReadSome(position + joined_.size(), bytes, error)) {
      return false;
    }
    *bytes = bytes->substr(0, size - joined_.size());
    if (bytes->size() == size) {
      return true;
    }
    joined_.append(*bytes);
  }
  *bytes = joined_;
  return true;
}

bool ReadWithShortLength(DataFile* file, uint64_t position,
                         std::string_view* bytes, std::string* error) {
  constexpr size_t kLengthSize = 2;
  const auto fail = [&](const std::string& what) {
    return FailAtByte(file->path(), position,
                      what + " beyond the end of the file, which has " +
                          std::to_string(file->size()) + " bytes",
                      error);
  };
  const uint64_t left =
      file->size() - std::min<uint64_t>(position, file->size());
  if (left < kLengthSize) {
    return fail("a key's length lies");
  }
  if (!file->ReadSome(position, bytes, error) ||
      (bytes->size() < kLengthSize &&
       !file->Read(position, kLengthSize, bytes, error))) {
    return false;
  }
  const size_t size = LoadBigEndian16(bytes->data());
  if (left - kLengthSize < size) {
    return fail("a key of " + std::to_string(size) + " bytes reaches");
  }
  if (bytes->size() - kLengthSize >= size) {
    *bytes = bytes->substr(kLengthSize, size);
    return true;
  }
  return file->Read(position + kLengthSize, size, bytes, error);
}

}  // namespace cassandra_bloom::tools
