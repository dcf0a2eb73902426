// SPDX-License-Identifier: Apache-2.0

// Checks the order of the keys in an SSTable.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_KEY_ORDER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_KEY_ORDER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom::tools {

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

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_KEY_ORDER_H_
