// SPDX-License-Identifier: Apache-2.0

// Reads what an index of an SSTable says of each partition. The index is an
// Index.db, or a Partitions.db with its Rows.db. SstableKeys checks whether
// what it says is right.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_READER_H_

#include <cstddef>
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

  // What the end of a Partitions.db says. An Index.db has none.
  struct Footer {
    std::string path;
    uint64_t first_key_position = 0;
    uint64_t num_keys = 0;  // Never 0.
    std::string first_key;
    std::string last_key;
  };
  const std::optional<Footer>& footer() const { return footer_; }

 protected:
  std::string error_;
  std::optional<Footer> footer_;
};

// The end of an error about an Index.db that is read alone.
inline constexpr char kDamagedIndex[] =
    "; the file is damaged or of another SSTable version";

// The reader checks that every part of an entry is complete. If a file was cut
// exactly between two entries, it cannot detect that.
// `kind` is kFixedWidth or kVInt. For kVIntOrTrie, the file is read as kVInt.
std::unique_ptr<IndexReader> OpenIndexDb(const std::string& path,
                                         IndexKind kind, std::string* error);

constexpr std::string_view kPartitionsDb = "Partitions.db";

// The longest path in a Partitions.db, in transitions. In Cassandra's
// byte-comparable form OSS50, a key of 65535 bytes has at most 98304 bytes, and
// its token is not longer. The whole path is the byte 0x40, the token, the byte
// 0x40, the key, and the byte 0x38 (DecoratedKey.asComparableBytes).
constexpr size_t kMaxTrieDepth = 2 * 98304 + 3;

// `path` ends in "Partitions.db". Rows.db must be beside it. Takes up to 600
// KiB of memory. The deepest possible trie takes up to 6 MiB more.
std::unique_ptr<IndexReader> OpenPartitionsDb(const std::string& path,
                                              std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_READER_H_
