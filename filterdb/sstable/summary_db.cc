// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/summary_db.h"

#include <utility>

#include "filterdb/sstable/buffered_key_reader.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

constexpr uint64_t kOffsetSize = 4;
constexpr uint64_t kPositionSize = 8;
// SummaryDb returns no errors of ByteReader, so one name for all fields is
// enough.
constexpr char kSummary[] = "a summary";

}  // namespace

SummaryDb::SummaryDb(std::unique_ptr<RandomAccessFile> file)
    : file_(std::move(file)), offsets_(*file_), entries_(*file_) {}

std::unique_ptr<SummaryDb> SummaryDb::Open(const std::string& path,
                                           std::string_view version) {
  std::string ignored_error;
  const SstableVersion* const known = FindSstableVersion(version);
  auto file =
      known == nullptr ? nullptr : RandomAccessFile::Open(path, &ignored_error);
  if (file == nullptr) {
    return nullptr;
  }
  std::unique_ptr<SummaryDb> summary(new SummaryDb(std::move(file)));
  if (!summary->ReadHeader(known->summary) || !summary->ReadEntries()) {
    return nullptr;
  }
  summary->first_key_ = summary->ReadKey();
  summary->last_key_ = summary->ReadKey();
  summary->Rewind();
  return summary->entries_.good() ? std::move(summary) : nullptr;
}

bool SummaryDb::ReadHeader(SummaryLayout layout) {
  has_offsets_ = layout != SummaryLayout::kPlain;
  const int32_t interval = entries_.Int32(kSummary);
  const int32_t num_entries = entries_.Int32(kSummary);
  const int64_t size = has_offsets_ ? entries_.Int64(kSummary) : 0;
  if (layout == SummaryLayout::kOffsetsAndSampling) {
    entries_.Int32(kSummary);
    entries_.Int32(kSummary);
  }
  first_entry_ = entries_.offset();
  num_entries_ = static_cast<uint64_t>(num_entries);
  size_ = static_cast<uint64_t>(size);
  return entries_.good() && interval > 0 && num_entries > 0 && size >= 0;
}

bool SummaryDb::ReadEntries() {
  if (has_offsets_) {
    // The first entry must begin right after the offsets.
    if (size_ > entries_.left() ||
        num_entries_ > size_ / (kOffsetSize + kPositionSize) ||
        OffsetOf(0) != num_entries_ * kOffsetSize) {
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
  if (has_offsets_) {
    entries_.GoTo(first_entry_ + size_);
  }
  return true;
}

std::string_view SummaryDb::ReadKey() {
  const int32_t size = entries_.Int32(kSummary);
  if (size < 0 || static_cast<uint64_t>(size) > kMaxKeySize) {
    entries_.Fail("a key that is too long");
  }
  return entries_.Bytes(static_cast<size_t>(size), kSummary);
}

void SummaryDb::Rewind() {
  entries_.GoTo(first_entry_);
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

uint64_t SummaryDb::OffsetOf(uint64_t entry) {
  if (entry == num_entries_) {
    return size_;
  }
  offsets_.GoTo(first_entry_ + entry * kOffsetSize);
  const std::string_view bytes = offsets_.Bytes(kOffsetSize, kSummary);
  return offsets_.good() ? LoadLittleEndian32(bytes.data()) : UINT64_MAX;
}

bool SummaryDb::NextWithOffset(std::string_view* key, uint64_t* index_offset) {
  const uint64_t begin = OffsetOf(next_);
  const uint64_t end = OffsetOf(next_ + 1);
  if (begin > end || end > size_ || end - begin < kPositionSize ||
      end - begin > kMaxKeySize + kPositionSize) {
    return false;
  }
  entries_.GoTo(first_entry_ + begin);
  const std::string_view entry =
      entries_.Bytes(static_cast<size_t>(end - begin), kSummary);
  if (!entries_.good()) {
    return false;
  }
  *key = entry.substr(0, entry.size() - kPositionSize);
  // The offset is in the byte order of the machine that wrote it. Cassandra and
  // ScyllaDB run on little-endian machines.
  *index_offset = LoadLittleEndian64(entry.data() + key->size());
  return true;
}

bool SummaryDb::NextWithLength(std::string_view* key, uint64_t* index_offset) {
  const int64_t position = entries_.Int64(kSummary);
  *key = ReadKey();
  *index_offset = static_cast<uint64_t>(position);
  return entries_.good() && position >= 0;
}

}  // namespace cassandra_bloom::tools
