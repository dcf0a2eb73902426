// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/partitions_db_reader.h"

#include "filterdb/sstable/bytes/random_access_file.h"
#include "filterdb/sstable/bytes/vint.h"

namespace cassandra_bloom::tools {
namespace {

bool ReadVInt(ByteSource* file, uint64_t position, uint64_t* value,
              std::string* error) {
  std::string_view bytes;
  size_t size = 1;
  for (const bool first_only : {true, false}) {
    if (position >= file->size() || file->size() - position < size) {
      return FailAtByte(file->path(), position,
                        "a number reaches beyond the end", error);
    }
    if (!file->Read(position, size, &bytes, error)) {
      return false;
    }
    size = first_only ? SizeOfVInt(bytes[0]) : size;
  }
  *value = DecodeVInt(bytes);
  return true;
}

}  // namespace

std::unique_ptr<PartitionsDbReader> PartitionsDbReader::Open(
    const std::string& path, std::string* error) {
  auto trie = PartitionTrie::Open(path, error);
  if (trie == nullptr) {
    return nullptr;
  }
  auto rows = RandomAccessFile::Open(
      path.substr(0, path.size() - kPartitionsDb.size()) + "Rows.db", error);
  return rows == nullptr
             ? nullptr
             : std::unique_ptr<PartitionsDbReader>(
                   new PartitionsDbReader(std::move(trie), std::move(rows)));
}

void PartitionsDbReader::Rewind() {
  trie_->Rewind();
  error_.clear();
}

bool PartitionsDbReader::Next(IndexEntry* entry) {
  TriePayload payload;
  if (!error_.empty() || !trie_->Next(&payload, &entry->offset)) {
    error_ = error_.empty() ? trie_->error() : error_;
    return false;
  }
  entry->path = &trie_->path();
  entry->hash =
      payload.has_hash ? std::make_optional(payload.hash) : std::nullopt;
  if (payload.position >= 0) {
    return ReadRowsEntry(static_cast<uint64_t>(payload.position), entry);
  }
  entry->key = std::nullopt;
  entry->position = static_cast<uint64_t>(~payload.position);
  return true;
}

// An entry of Rows.db has the key, the position in Data.db, and the index of
// the partition's rows (io.sstable.format.bti.TrieIndexEntry).
bool PartitionsDbReader::ReadRowsEntry(uint64_t position, IndexEntry* entry) {
  if (position >= rows_->size()) {
    return FailAtByte(trie_->path(), entry->offset,
                      "a partition at position " + std::to_string(position) +
                          " of Rows.db, which has " +
                          std::to_string(rows_->size()) +
                          " bytes; one of the two files is damaged",
                      &error_);
  }
  std::string_view key;
  if (!ReadWithShortLength(rows_.get(), position, &key, &error_)) {
    return false;
  }
  rows_key_.assign(key);
  entry->key = rows_key_;
  entry->path = &rows_->path();
  entry->offset = position + 2 + rows_key_.size();
  return ReadVInt(rows_.get(), entry->offset, &entry->position, &error_);
}

}  // namespace cassandra_bloom::tools
