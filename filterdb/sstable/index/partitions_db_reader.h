// SPDX-License-Identifier: Apache-2.0

// Reads the trie index of an SSTable: Partitions.db, and Rows.db for large
// partitions. Partitions.db has only prefixes of the keys. So the keys of small
// partitions are in Data.db alone.
//
//    +-------+-----------+----------+---------------+--------+------+
//    | nodes | first key | last key | first key at  | number | root |
//    |       |           |          |               | of keys|      |
//    +-------+-----------+----------+---------------+--------+------+
//             uint16 length, key     int64           int64    int64
//
// trie_node.h describes the nodes. The path to a partition is a prefix of the
// byte-comparable form of its key. (io.sstable.format.bti.PartitionIndex and
// PartitionIndexBuilder in cassandra-5.0.1.)

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_PARTITIONS_DB_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_PARTITIONS_DB_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/random_access_file.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/index/trie_node.h"

namespace cassandra_bloom::tools {

constexpr std::string_view kPartitionsDb = "Partitions.db";

// The longest path, in transitions. In Cassandra's byte-comparable form OSS50,
// a key of 65535 bytes has at most 98304 bytes, and its token is not longer.
// The whole path is the byte 0x40, the token, the byte 0x40, the key, and the
// byte 0x38 (DecoratedKey.asComparableBytes).
constexpr size_t kMaxTrieDepth = 2 * 98304 + 3;

class PartitionsDbReader final : public IndexReader {
 public:
  // `path` ends in "Partitions.db". Rows.db must be beside it. Takes up to 600
  // KiB of memory. The deepest possible trie takes up to 6 MiB more.
  static std::unique_ptr<PartitionsDbReader> Open(const std::string& path,
                                                  std::string* error);

  const std::string& path() const { return pages_.path(); }
  uint64_t num_keys() const { return num_keys_; }  // From the footer, never 0.
  const std::string& first_key() const { return first_key_; }
  const std::string& last_key() const { return last_key_; }
  uint64_t first_key_position() const { return first_key_position_; }

  bool Next(IndexEntry* entry) override;

 private:
  struct Step {
    uint64_t position;
    uint32_t depth;     // In transitions; 0 for the root.
    int32_t next_slot;  // kNotEntered if its payload comes before its slots.
  };

  PartitionsDbReader(std::unique_ptr<RandomAccessFile> partitions,
                     std::unique_ptr<ByteSource> rows);

  bool ReadFooter();
  // Gets the payload of the next partition, and the offset of its node.
  bool NextPayload(TriePayload* payload, uint64_t* node_position);
  bool GoToNextChild(std::string_view bytes, const TrieNode& node);
  bool ReadNode(uint64_t position, std::string_view* bytes, TrieNode* node);
  bool ReadRowsEntry(uint64_t position, IndexEntry* entry);
  bool Fail(uint64_t position, const std::string& what);

  PageCache pages_;
  const std::unique_ptr<ByteSource> rows_;
  uint64_t first_key_position_ = 0;  // All nodes lie before this offset.
  uint64_t num_keys_ = 0;
  uint64_t root_ = 0;
  std::string first_key_;
  std::string last_key_;

  uint64_t num_found_ = 0;
  std::vector<Step> path_to_next_;
  std::string rows_key_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_PARTITIONS_DB_READER_H_
