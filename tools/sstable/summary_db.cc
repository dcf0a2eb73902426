// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/summary_db.h"

#include <utility>

#include "plugin/filter/endian.h"
#include "plugin/sstable/buffered_key_reader.h"

namespace cassandra_bloom::tools {
namespace {

constexpr size_t kCachedPages = 2;
constexpr size_t kOffsetSize = 4;
constexpr size_t kPositionSize = 8;

}  // namespace

SummaryDb::SummaryDb(std::unique_ptr<RandomAccessFile> file)
    : file_(std::move(file)),
      offsets_(*file_, kCachedPages),
      entries_(*file_, kCachedPages) {}

std::unique_ptr<SummaryDb> SummaryDb::Open(const std::string& path,
                                           std::string_view version) {
  std::string ignored_error;
  auto file = RandomAccessFile::Open(path, &ignored_error);
  if (file == nullptr) {
    return nullptr;
  }
  std::unique_ptr<SummaryDb> summary(new SummaryDb(std::move(file)));
  if (!summary->ReadHeader(version) || !summary->ReadEntries() ||
      !summary->ReadKeys()) {
    return nullptr;
  }
  summary->Rewind();
  return summary;
}

bool SummaryDb::ReadHeader(std::string_view version) {
  const bool has_sampling_level = version[0] != 'i' && version[0] != 'j';
  has_offsets_ = version[0] != 'i';
  uint64_t interval = 0;
  uint64_t ignored = 0;
  return TakeNumber(4, &interval) && TakeNumber(4, &num_entries_) &&
         (!has_offsets_ || TakeNumber(8, &size_)) &&
         (!has_sampling_level ||
          (TakeNumber(4, &ignored) && TakeNumber(4, &ignored))) &&
         interval > 0 && num_entries_ > 0;
}

// Reads over all entries, to see that they are whole.
bool SummaryDb::ReadEntries() {
  first_entry_ = at_;
  if (has_offsets_) {
    // The offsets and the entries lie within the file; the first entry is
    // behind the offsets.
    uint64_t offset = 0;
    if (size_ > file_->size() - at_ ||
        num_entries_ > size_ / (kOffsetSize + kPositionSize) ||
        !OffsetOf(0, &offset) || offset != num_entries_ * kOffsetSize) {
      return false;
    }
  }
  std::string_view key;
  uint64_t index_offset = 0;
  while (next_ < num_entries_) {
    if (!Next(&key, &index_offset)) {
      return false;
    }
  }
  at_ = has_offsets_ ? first_entry_ + size_ : at_;
  return true;
}

bool SummaryDb::ReadKeys() {
  return TakeKey(&first_key_) && TakeKey(&last_key_);
}

bool SummaryDb::TakeNumber(size_t size, uint64_t* number) {
  std::string_view bytes;
  if (file_->size() - at_ < size ||
      !entries_.Exactly(at_, size, &bytes, &ignored_error_)) {
    return false;
  }
  const int64_t value =
      size == 8 ? LoadBigEndian64(bytes.data()) : LoadBigEndian32(bytes.data());
  *number = static_cast<uint64_t>(value);
  at_ += size;
  return value >= 0;
}

bool SummaryDb::TakeKey(std::string* key) {
  uint64_t size = 0;
  std::string_view bytes;
  if (!TakeNumber(4, &size) || size > kMaxKeySize ||
      file_->size() - at_ < size ||
      !entries_.Exactly(at_, static_cast<size_t>(size), &bytes,
                        &ignored_error_)) {
    return false;
  }
  key->assign(bytes);
  at_ += size;
  return true;
}

void SummaryDb::Rewind() {
  at_ = first_entry_;
  next_ = 0;
}

bool SummaryDb::Next(std::string_view* key, uint64_t* index_offset) {
  if (next_ == num_entries_) {
    return false;
  }
  const bool found = has_offsets_ ? NextWithOffset(key, index_offset)
                                  : NextWithLength(key, index_offset);
  ++next_;
  return found;
}

bool SummaryDb::OffsetOf(uint64_t entry, uint64_t* offset) {
  if (entry == num_entries_) {
    *offset = size_;
    return true;
  }
  std::string_view bytes;
  if (!offsets_.Exactly(first_entry_ + entry * kOffsetSize, kOffsetSize, &bytes,
                        &ignored_error_)) {
    return false;
  }
  *offset = LoadLittleEndian32(bytes.data());
  return *offset <= size_;
}

bool SummaryDb::NextWithOffset(std::string_view* key, uint64_t* index_offset) {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string_view entry;
  if (!OffsetOf(next_, &begin) || !OffsetOf(next_ + 1, &end) || begin > end ||
      end - begin < kPositionSize ||
      end - begin > kMaxKeySize + kPositionSize ||
      !entries_.Exactly(first_entry_ + begin, static_cast<size_t>(end - begin),
                        &entry, &ignored_error_)) {
    return false;
  }
  *key = entry.substr(0, entry.size() - kPositionSize);
  // The order of the machines that Cassandra and ScyllaDB run on.
  *index_offset = LoadLittleEndian64(entry.data() + key->size());
  return true;
}

bool SummaryDb::NextWithLength(std::string_view* key, uint64_t* index_offset) {
  uint64_t size = 0;
  if (!TakeNumber(8, index_offset) || !TakeNumber(4, &size) ||
      size > kMaxKeySize || file_->size() - at_ < size ||
      !entries_.Exactly(at_, static_cast<size_t>(size), key, &ignored_error_)) {
    return false;
  }
  at_ += size;
  return true;
}

}  // namespace cassandra_bloom::tools
