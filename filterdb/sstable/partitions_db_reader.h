// SPDX-License-Identifier: Apache-2.0

// Reads the partition keys of an SSTable with a trie index. The keys are read
// from Data.db or Rows.db, because Partitions.db has only prefixes of the keys.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_PARTITIONS_DB_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_PARTITIONS_DB_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/checked_index_db.h"
#include "filterdb/sstable/data_db/data_file.h"
#include "filterdb/sstable/key_order.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/partition_trie.h"

namespace cassandra_bloom::tools {

constexpr std::string_view kPartitionsDb = "Partitions.db";

// bytes_read() and total_bytes() count uncompressed bytes of Data.db. Rewind
// always succeeds.
class PartitionsDbReader final : public KeyReader {
 public:
  // Does the same as OpenSstableKeys, for a Partitions.db. The order of the
  // keys is checked only with kEveryKey. Also, the keys in Rows.db are compared
  // with Data.db only with kEveryKey.
  static std::unique_ptr<PartitionsDbReader> Open(const std::string& path,
                                                  std::string_view version,
                                                  KeyChecks checks,
                                                  std::string* error);

  // The number of keys in the footer of Partitions.db.
  uint64_t num_keys() const { return trie_->num_keys(); }

  // How many keys were read from Rows.db so far.
  uint64_t num_in_rows() const { return num_in_rows_; }

  // How many keys so far do not fit the hash byte in Partitions.db. Cassandra
  // would not find these keys.
  uint64_t num_wrong_hashes() const { return num_wrong_hashes_; }

  // The position in the uncompressed Data.db of the first partition with a
  // wrong hash.
  uint64_t first_wrong_hash() const { return first_wrong_hash_; }

  bool Next(std::string_view* key) override;
  bool Rewind() override;
  const std::string& error() const override { return error_; }
  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t total_bytes() const override { return data_->size(); }

 private:
  // A partition, whose position was read at byte `source_offset` of the file
  // `path`.
  struct Partition {
    const std::string* path = nullptr;
    uint64_t source_offset = 0;
    uint64_t position = 0;  // Offset in the uncompressed Data.db.
    std::string_view key;
  };

  PartitionsDbReader(std::unique_ptr<PartitionTrie> trie,
                     std::unique_ptr<DataFile> data,
                     std::unique_ptr<DataFile> rows, KeyOrder order,
                     KeyChecks checks);

  bool ReadPartition(const TriePayload& payload, uint64_t node_position,
                     Partition* partition);
  bool CheckPositionInRows(uint64_t position, uint64_t node_position);
  bool ReadRowsEntry(uint64_t position, Partition* partition);
  bool CheckPosition(const Partition& partition);
  bool CheckSize(const Partition& partition);
  bool CheckDataHasKeyOf(const Partition& partition);
  bool CheckOrder(const Partition& partition);
  bool CheckEnds(std::string_view key);
  void CheckHash(const TriePayload& payload, const Partition& partition);
  bool Fail(const std::string& path, uint64_t offset, const std::string& what);
  bool FailAt(const Partition& partition, const std::string& what) {
    return Fail(*partition.path, partition.source_offset, what);
  }

  const std::unique_ptr<PartitionTrie> trie_;
  const std::unique_ptr<DataFile> data_;
  const std::unique_ptr<DataFile> rows_;
  KeyOrder order_;
  const KeyChecks checks_;

  uint64_t num_read_ = 0;
  uint64_t last_position_ = 0;  // Valid if num_read_ > 0.
  uint64_t bytes_read_ = 0;
  uint64_t num_wrong_hashes_ = 0;
  uint64_t first_wrong_hash_ = 0;
  uint64_t num_in_rows_ = 0;
  std::string rows_key_;
  std::string last_key_;
  std::string error_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_PARTITIONS_DB_READER_H_
