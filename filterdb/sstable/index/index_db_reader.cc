// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/index_db_reader.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "filterdb/sstable/bytes/random_access_file.h"
#include "filterdb/sstable/bytes/vint.h"
#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kNumbers[] = "the numbers after a key";

class IndexDbReader final : public IndexReader {
 public:
  IndexDbReader(std::unique_ptr<RandomAccessFile> file, IndexKind kind)
      : file_(std::move(file)), kind_(kind) {}

  bool Next(IndexEntry* entry) override {
    size_t key_size = 0;
    Numbers numbers;
    if (!error_.empty() || offset_ == file_->size() ||
        !ReadKeySize(&key_size) || !ReadNumbers(2 + key_size, &numbers)) {
      return false;
    }
    entry->path = &file_->path();
    entry->offset = offset_;
    entry->position = static_cast<uint64_t>(numbers.position);
    entry->key = bytes_.substr(2, key_size);
    return Pass(numbers);
  }

 private:
  struct Numbers {
    int64_t position = 0;
    int64_t promoted_size = 0;
    size_t end = 0;  // Where the entry ends, without the promoted index.
  };

  // Reads until bytes_ has the first `size` bytes of the entry.
  bool Require(size_t size) {
    if (bytes_.size() >= size) {
      return true;
    }
    return file_->size() - offset_ >= size &&
           file_->Read(offset_, size, &bytes_, &error_) &&
           file_->ReadSome(offset_, &bytes_, &error_);
  }

  bool ReadKeySize(size_t* key_size) {
    if (!Require(2)) {
      return FailShort("the length of a key");
    }
    *key_size = LoadBigEndian16(bytes_.data());
    return Require(2 + *key_size) ||
           FailShort("a key of " + std::to_string(*key_size) + " bytes");
  }

  // Reads the numbers that begin `at` bytes after the beginning of the entry.
  bool ReadNumbers(size_t at, Numbers* numbers) {
    numbers->end = at;
    if (kind_ == IndexKind::kFixedWidth) {
      if (!Require(at + 12)) {
        return FailShort(kNumbers);
      }
      numbers->position = LoadBigEndian64(bytes_.data() + at);
      numbers->promoted_size = LoadBigEndian32(bytes_.data() + at + 8);
      numbers->end = at + 12;
    } else if (!ReadVInt(&numbers->end, &numbers->position) ||
               !ReadVInt(&numbers->end, &numbers->promoted_size)) {
      return false;
    }
    if (numbers->position < 0) {
      return Fail("a partition at position " +
                  std::to_string(numbers->position) + " of Data.db");
    }
    return numbers->promoted_size >= 0 ||
           Fail("a promoted index of " +
                std::to_string(numbers->promoted_size) + " bytes");
  }

  bool ReadVInt(size_t* at, int64_t* value) {
    if (!Require(*at + 1)) {
      return FailShort(kNumbers);
    }
    const size_t vint_size = SizeOfVInt(bytes_[*at]);
    if (!Require(*at + vint_size)) {
      return FailShort(kNumbers);
    }
    // Cassandra reads the number as a signed long.
    *value = static_cast<int64_t>(DecodeVInt(bytes_.substr(*at, vint_size)));
    *at += vint_size;
    return true;
  }

  // Passes over the entry. Does not read its promoted index.
  bool Pass(const Numbers& numbers) {
    const auto promoted_size = static_cast<uint64_t>(numbers.promoted_size);
    if (promoted_size > file_->size() - offset_ - numbers.end) {
      return Fail("ends inside a key's promoted index of " +
                  std::to_string(promoted_size) + " bytes");
    }
    const uint64_t entry_size = numbers.end + promoted_size;
    offset_ += entry_size;
    bytes_.remove_prefix(
        static_cast<size_t>(std::min<uint64_t>(entry_size, bytes_.size())));
    return true;
  }

  bool FailShort(const std::string& in_what) {
    return Fail("ends inside " + in_what + ", with " +
                std::to_string(file_->size() - offset_) +
                " bytes in the last entry");
  }

  // An error of reading stays, because it is the cause.
  bool Fail(const std::string& what) {
    if (error_.empty()) {
      FailAtByte(file_->path(), offset_, what + kDamagedIndex, &error_);
    }
    return false;
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const IndexKind kind_;
  uint64_t offset_ = 0;     // Of the next entry.
  std::string_view bytes_;  // Of the next entry, and what follows it.
};

}  // namespace

std::unique_ptr<IndexReader> OpenIndexDb(const std::string& path,
                                         IndexKind kind, std::string* error) {
  // Promoted indexes are gaps. All the rest is read.
  auto file = RandomAccessFile::Open(path, error, RandomAccessFile::kManyBytes);
  return file == nullptr
             ? nullptr
             : std::make_unique<IndexDbReader>(std::move(file), kind);
}

}  // namespace cassandra_bloom::tools
