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
  explicit KeyOrder(const std::string& partitioner);

  // Returns whether `key` may follow the key of the previous call. `hash` is
  // the hash of the key. It is needed only if needs_hash() is true.
  bool Follows(std::string_view key, const Hash128& hash);
  bool needs_hash() const { return by_ == By::kToken; }

  void Restart() { has_last_ = false; }

 private:
  enum class By { kToken, kKey, kUnknown };

  const By by_;
  bool has_last_ = false;
  int64_t last_token_ = 0;
  std::string last_key_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_KEY_ORDER_H_
