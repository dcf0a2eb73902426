// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/partitions_db_reader.h"

#include <utility>

#include "filterdb/sstable/bytes/vint.h"
#include "filterdb/sstable/data_db/open_data_db.h"
#include "filterdb/sstable/statistics_db.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

bool HasTrie(std::string_view version, std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  if (known != nullptr && (known->index == IndexKind::kTrie ||
                           known->index == IndexKind::kVIntOrTrie)) {
    return true;
  }
  if (known != nullptr) {
    *error = "an SSTable of version " + std::string(version) +
             " has no Partitions.db but an Index.db";
  }
  return false;
}

bool ReadVInt(DataFile* file, uint64_t position, uint64_t* value,
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

PartitionsDbReader::PartitionsDbReader(std::unique_ptr<PartitionTrie> trie,
                                       std::unique_ptr<DataFile> data,
                                       std::unique_ptr<DataFile> rows,
                                       KeyOrder order, KeyChecks checks)
    : trie_(std::move(trie)),
      data_(std::move(data)),
      rows_(std::move(rows)),
      order_(std::move(order)),
      checks_(checks) {}

std::unique_ptr<PartitionsDbReader> PartitionsDbReader::Open(
    const std::string& path, std::string_view version, KeyChecks checks,
    std::string* error) {
  if (!HasTrie(version, error)) {
    *error = path + ": " + *error;
    return nullptr;
  }
  const std::string start = path.substr(0, path.size() - kPartitionsDb.size());
  auto trie = PartitionTrie::Open(path, error);
  if (trie == nullptr) {
    return nullptr;
  }
  auto data = OpenDataDb(start, version, error);
  if (data == nullptr) {
    return nullptr;
  }
  auto rows = OpenPlainDataFile(start + "Rows.db", error);
  if (rows == nullptr) {
    return nullptr;
  }
  const PartitionFacts facts =
      ReadPartitionFacts(start + "Statistics.db", version);
  return std::unique_ptr<PartitionsDbReader>(
      new PartitionsDbReader(std::move(trie), std::move(data), std::move(rows),
                             KeyOrder(facts.partitioner), checks));
}

bool PartitionsDbReader::Rewind() {
  trie_->Rewind();
  num_read_ = 0;
  last_position_ = 0;
  bytes_read_ = 0;
  num_wrong_hashes_ = 0;
  first_wrong_hash_ = 0;
  num_in_rows_ = 0;
  order_.Restart();
  error_.clear();
  return true;
}

bool PartitionsDbReader::Next(std::string_view* key) {
  if (!error_.empty()) {
    return false;
  }
  TriePayload payload;
  uint64_t node_position = 0;
  if (!trie_->Next(&payload, &node_position)) {
    error_ = trie_->error();
    bytes_read_ = error_.empty() ? total_bytes() : bytes_read_;
    return false;
  }
  Partition partition;
  if (!ReadPartition(payload, node_position, &partition)) {
    return false;
  }
  ++num_read_;
  if (!CheckEnds(partition.key) || !CheckOrder(partition)) {
    return false;
  }
  CheckHash(payload, partition);
  last_position_ = partition.position;
  bytes_read_ = partition.position + 2 + partition.key.size();
  *key = partition.key;
  return true;
}

bool PartitionsDbReader::ReadPartition(const TriePayload& payload,
                                       uint64_t node_position,
                                       Partition* partition) {
  if (payload.position >= 0) {
    ++num_in_rows_;
    const auto position = static_cast<uint64_t>(payload.position);
    return CheckPositionInRows(position, node_position) &&
           ReadRowsEntry(position, partition) && CheckPosition(*partition) &&
           CheckSize(*partition) &&
           (checks_ == KeyChecks::kCheap || CheckDataHasKeyOf(*partition));
  }
  partition->path = &trie_->path();
  partition->source_offset = node_position;
  partition->position = static_cast<uint64_t>(~payload.position);
  return CheckPosition(*partition) &&
         ReadWithShortLength(data_.get(), partition->position, &partition->key,
                             &error_);
}

bool PartitionsDbReader::CheckPositionInRows(uint64_t position,
                                             uint64_t node_position) {
  return position < rows_->size() ||
         Fail(trie_->path(), node_position,
              "a partition at position " + std::to_string(position) +
                  " of Rows.db, which has " + std::to_string(rows_->size()) +
                  " bytes");
}

// An entry of Rows.db has the key, the position in Data.db, and the index of
// the partition's rows (io.sstable.format.bti.TrieIndexEntry).
bool PartitionsDbReader::ReadRowsEntry(uint64_t position,
                                       Partition* partition) {
  std::string_view key;
  if (!ReadWithShortLength(rows_.get(), position, &key, &error_)) {
    return false;
  }
  rows_key_.assign(key);
  partition->key = rows_key_;
  partition->path = &rows_->path();
  partition->source_offset = position + 2 + rows_key_.size();
  return ReadVInt(rows_.get(), partition->source_offset, &partition->position,
                  &error_);
}

// Fails if the partition begins before the end of the previous key in Data.db.
// So the positions increase, and Data.db is read only once, even if the trie is
// damaged.
bool PartitionsDbReader::CheckPosition(const Partition& partition) {
  const uint64_t position = partition.position;
  const bool is_right = num_read_ == 0 ? position == 0 : position > bytes_read_;
  if (is_right && position < data_->size()) {
    return true;
  }
  std::string what =
      "a partition at position " + std::to_string(position) + " of Data.db";
  if (position >= data_->size()) {
    what +=
        ", which has " + std::to_string(data_->size()) + " bytes uncompressed";
  } else if (num_read_ == 0) {
    what = "the first partition is at position " + std::to_string(position) +
           " of Data.db, not at 0";
  } else if (position <= last_position_) {
    what += " after one at " + std::to_string(last_position_);
  } else {
    what += ", within the one at " + std::to_string(last_position_);
  }
  return FailAt(partition, what);
}

// Fails if Data.db has no room for a key that was read from Rows.db.
bool PartitionsDbReader::CheckSize(const Partition& partition) {
  return data_->size() - partition.position >= 2 + partition.key.size() ||
         FailAt(partition,
                "a key of " + std::to_string(partition.key.size()) +
                    " bytes at position " + std::to_string(partition.position) +
                    " of Data.db, which has " + std::to_string(data_->size()) +
                    " bytes uncompressed");
}

bool PartitionsDbReader::CheckDataHasKeyOf(const Partition& partition) {
  std::string_view in_data;
  return ReadWithShortLength(data_.get(), partition.position, &in_data,
                             &error_) &&
         (in_data == partition.key ||
          FailAt(partition, "another key than at position " +
                                std::to_string(partition.position) +
                                " of Data.db"));
}

bool PartitionsDbReader::CheckOrder(const Partition& partition) {
  if (checks_ == KeyChecks::kCheap) {
    return true;
  }
  const bool follows = order_.Follows(partition.key, last_key_);
  last_key_.assign(partition.key);
  return follows ||
         FailAt(partition, "a key that is not in the order of the partitioner");
}

bool PartitionsDbReader::CheckEnds(std::string_view key) {
  const uint64_t first_key_position = trie_->first_key_position();
  if (num_read_ == 1 && key != trie_->first_key()) {
    return Fail(trie_->path(), first_key_position,
                "the first key is not that of the first partition");
  }
  return num_read_ != trie_->num_keys() || key == trie_->last_key() ||
         Fail(trie_->path(), first_key_position + 2 + trie_->first_key().size(),
              "the last key is not that of the last partition");
}

bool PartitionsDbReader::Fail(const std::string& path, uint64_t offset,
                              const std::string& what) {
  return FailAtByte(path, offset, what + kDamagedSstable, &error_);
}

// `payload.hash` must be the lowest byte of the second half of the key's hash
// (DecoratedKey.filterHashLowerBits; hash_byte_from_key in ScyllaDB's
// sstables/trie/bti_partition_index_writer.cc).
void PartitionsDbReader::CheckHash(const TriePayload& payload,
                                   const Partition& partition) {
  if (!payload.has_hash) {
    return;
  }
  const std::string_view key = partition.key;
  const Hash128 hash = CassandraMurmur3(key.data(), key.size());
  if (static_cast<uint8_t>(hash.h2) == payload.hash) {
    return;
  }
  if (num_wrong_hashes_ == 0) {
    first_wrong_hash_ = partition.position;
  }
  ++num_wrong_hashes_;
}

}  // namespace cassandra_bloom::tools
