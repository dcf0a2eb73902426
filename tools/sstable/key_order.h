// SPDX-License-Identifier: Apache-2.0

// The order in which an SSTable has its keys, as far as the partitioner's name
// tells it.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_KEY_ORDER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_KEY_ORDER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

class KeyOrder {
 public:
  // `partitioner`: the class, without its package. Murmur3Partitioner orders
  // keys by token, and equal tokens by key (DecoratedKey.compareTo);
  // ByteOrderedPartitioner by key. For other partitioners, any order passes:
  // RandomPartitioner (by MD5), and those whose order the type of a column
  // decides (LocalPartitioner of secondary indexes,
  // OrderPreservingPartitioner).
  explicit KeyOrder(const std::string& partitioner);

  // Whether `key` may follow `last`. `last` must be the `key` of the previous
  // call, whose token is remembered.
  bool Follows(std::string_view key, std::string_view last);

  void Restart() { has_last_ = false; }

 private:
  enum class By { kToken, kKey, kUnknown };

  const By by_;
  bool has_last_ = false;
  int64_t last_token_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_KEY_ORDER_H_
