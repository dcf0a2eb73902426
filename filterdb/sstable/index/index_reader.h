// SPDX-License-Identifier: Apache-2.0

// Reads what an index of an SSTable says of each partition. The index is an
// Index.db, or a Partitions.db with its Rows.db. SstableKeys checks whether
// what it says is right.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {

struct IndexEntry {
  // Not set if the index does not hold the key. It is then in Data.db alone.
  std::optional<std::string_view> key;
  uint64_t position = 0;        // Offset in the uncompressed Data.db.
  std::optional<uint8_t> hash;  // The lowest byte of the key's filter hash.
  // Where the index tells the position, for error messages.
  const std::string* path = nullptr;
  uint64_t offset = 0;
};

class IndexReader {
 public:
  IndexReader() = default;
  virtual ~IndexReader() = default;
  IndexReader(const IndexReader&) = delete;
  IndexReader& operator=(const IndexReader&) = delete;

  // Gets the entry of the next partition, valid until the next call. Returns
  // false at the end and after an error. At the end, error() is empty.
  //
  // The caller must stop if the positions do not increase, because the index is
  // then damaged. In a damaged trie, many paths may lead to one node, and to
  // read all these paths could take very long.
  virtual bool Next(IndexEntry* entry) = 0;

  const std::string& error() const { return error_; }

 protected:
  std::string error_;
};

// The end of an error about an Index.db that is read alone.
inline constexpr char kDamagedIndex[] =
    "; the file is damaged or of another SSTable version";

// The reader checks that every part of an entry is complete. If a file was cut
// exactly between two entries, it cannot detect that.
// `kind` is kFixedWidth or kVInt. For kVIntOrTrie, the file is read as kVInt.
std::unique_ptr<IndexReader> OpenIndexDb(const std::string& path,
                                         IndexKind kind, std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_READER_H_
