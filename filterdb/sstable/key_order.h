// SPDX-License-Identifier: Apache-2.0

// Checks the order of the keys in an SSTable.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_ORDER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_ORDER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

class KeyOrder {
 public:
  // `partitioner` is a class name without its package. Murmur3Partitioner
  // orders keys by token, and then by their bytes (DecoratedKey.compareTo).
  // ByteOrderedPartitioner orders keys by their bytes. With any other
  // partitioner, every order is accepted.
  explicit KeyOrder(const std::string& partitioner);

  // Returns whether `key` may follow `last`, which must be the previous `key`.
  bool Follows(std::string_view key, std::string_view last);

  void Restart() { has_last_ = false; }

 private:
  enum class By { kToken, kKey, kUnknown };

  const By by_;
  bool has_last_ = false;
  int64_t last_token_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_ORDER_H_
