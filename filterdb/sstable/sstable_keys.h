// SPDX-License-Identifier: Apache-2.0

// Reads the partition keys of an SSTable from its index. This is the one place
// where the keys and positions of an index are checked, because neither
// Index.db nor Partitions.db has a checksum.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_KEYS_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_KEYS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/sstable.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom::tools {

enum class KeyChecks {
  // Checks that the keys are in the order of the partitioner, that the
  // positions begin with 0 and increase, that each key lies within Data.db, and
  // that there are as many keys as Statistics.db and Partitions.db say.
  kCheap,
  // Checks what kCheap checks, and also compares each key with Data.db.
  kCompared,
  // Checks what kCompared checks, and also fails if nothing tells how many keys
  // there are. So the reader returns all keys of Data.db, or an error.
  kEveryKey,
};

// Checks the order of the keys in an SSTable.
class KeyOrder {
 public:
  // `partitioner` is a class name without its package. Murmur3Partitioner
  // orders keys by token, and then by their bytes (DecoratedKey.compareTo).
  // ByteOrderedPartitioner orders keys by their bytes. With any other
  // partitioner, every order is accepted.
  explicit KeyOrder(const std::string& partitioner)
      : by_token_(partitioner == "Murmur3Partitioner"),
        by_key_(by_token_ || partitioner == "ByteOrderedPartitioner") {}

  // Returns whether `key` may follow the key of the previous call. `hash` is
  // the hash of the key. It is needed only if needs_hash() is true.
  bool Follows(std::string_view key, const Hash128& hash) {
    if (!by_key_) {
      return true;
    }
    const int64_t token = by_token_ ? TokenOf(key, hash) : 0;
    const bool follows = !has_last_ || token > last_token_ ||
                         (token == last_token_ && key > last_key_);
    has_last_ = true;
    last_token_ = token;
    last_key_.assign(key);
    return follows;
  }

  bool needs_hash() const { return by_token_; }

 private:
  // Computes the token like Cassandra's Murmur3Partitioner.getToken.
  static int64_t TokenOf(std::string_view key, const Hash128& hash) {
    if (key.empty()) {
      return INT64_MIN;
    }
    const auto token = static_cast<int64_t>(hash.h1);
    return token == INT64_MIN ? INT64_MAX : token;
  }

  const bool by_token_;
  const bool by_key_;
  bool has_last_ = false;
  int64_t last_token_ = 0;
  std::string last_key_;
};

// If a check fails, Next returns false. bytes_read() is where the last key ends
// in the uncompressed Data.db.
class SstableKeys : public KeyReader {
 public:
  // How many keys so far do not fit the hash byte in Partitions.db. Cassandra
  // would not find these keys.
  uint64_t num_wrong_hashes() const { return num_wrong_hashes_; }

 protected:
  uint64_t num_wrong_hashes_ = 0;
};

// Opens the index of an SSTable. The reader returns the keys in the order of
// the SSTable. Returns nullptr if a file cannot be opened.
//
// `index_path` is one of:
// - A path that ends in "Partitions.db". Data.db, Rows.db and
// CompressionInfo.db, if there is one, must be beside Partitions.db.
// - The path of an Index.db with a Data.db beside it.
// - Any other path: an Index.db alone. `checks` has no effect.
//
// `version` is an SSTable version, or the name of a FilterForm. With the name
// of a FilterForm, every Index.db is read alone. For a Partitions.db,
// "na-and-later" means version "da". "ma-to-me" means version "ms" or "mt".
//
// Takes less than 1 MiB of memory. The deepest possible trie takes up to 6 MiB
// more. A compressed Data.db also takes the memory for two chunks, and for the
// dictionary.
std::unique_ptr<SstableKeys> OpenSstableKeys(const std::string& index_path,
                                             std::string_view version,
                                             KeyChecks checks,
                                             std::string* error);

// Opens the index of a whole SSTable, with all its files.
std::unique_ptr<SstableKeys> OpenSstableKeys(const Sstable& sstable,
                                             KeyChecks checks,
                                             std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_KEYS_H_
