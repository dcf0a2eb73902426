// SPDX-License-Identifier: Apache-2.0

// Reads the trie index of an SSTable: Partitions.db, and Rows.db for large
// partitions. Partitions.db has only prefixes of the keys. So the keys of small
// partitions are in Data.db alone.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_PARTITIONS_DB_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_PARTITIONS_DB_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/index/partition_trie.h"

namespace cassandra_bloom::tools {

constexpr std::string_view kPartitionsDb = "Partitions.db";

class PartitionsDbReader final : public IndexReader {
 public:
  // `path` ends in "Partitions.db". Rows.db must be beside it.
  static std::unique_ptr<PartitionsDbReader> Open(const std::string& path,
                                                  std::string* error);

  const PartitionTrie& trie() const { return *trie_; }

  bool Next(IndexEntry* entry) override;
  void Rewind() override;

 private:
  PartitionsDbReader(std::unique_ptr<PartitionTrie> trie,
                     std::unique_ptr<ByteSource> rows)
      : trie_(std::move(trie)), rows_(std::move(rows)) {}

  bool ReadRowsEntry(uint64_t position, IndexEntry* entry);

  const std::unique_ptr<PartitionTrie> trie_;
  const std::unique_ptr<ByteSource> rows_;
  std::string rows_key_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_PARTITIONS_DB_READER_H_
