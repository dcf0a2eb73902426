// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/partitions_db_reader.h"

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {
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
  ByteReader reader(rows_.get());
  reader.GoTo(position);
  rows_key_ = reader.Text("a key; the file is damaged");
  entry->key = rows_key_;
  entry->path = &rows_->path();
  entry->offset = reader.offset();
  entry->position = reader.VInt("a position; the file is damaged");
  error_ = reader.error();
  return reader.good();
}

}  // namespace cassandra_bloom::tools
