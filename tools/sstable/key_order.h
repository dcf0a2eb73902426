// SPDX-License-Identifier: Apache-2.0

// The order of the keys in an SSTable, as far as the name of the partitioner
// determines the order.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_KEY_ORDER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_KEY_ORDER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

class KeyOrder {
 public:
  // `partitioner`: the class, without its package. Murmur3Partitioner orders
  // keys by token, and keys of equal tokens by their bytes
  // (DecoratedKey.compareTo). ByteOrderedPartitioner orders keys by their
  // bytes. Of other partitioners, any order passes: RandomPartitioner (by MD5),
  // OrderPreservingPartitioner (by the key as text) and LocalPartitioner of
  // secondary indexes (by the type of a column).
  explicit KeyOrder(const std::string& partitioner);

  // Whether `key` may follow `last`. `last` must be the `key` of the previous
  // call: the token of `last` was kept in that call.
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
