// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/key_order.h"

namespace cassandra_bloom::tools {
namespace {

// Computes the token like Cassandra's Murmur3Partitioner.getToken.
int64_t TokenOf(std::string_view key, const Hash128& hash) {
  if (key.empty()) {
    return INT64_MIN;
  }
  const auto token = static_cast<int64_t>(hash.h1);
  return token == INT64_MIN ? INT64_MAX : token;
}

}  // namespace

KeyOrder::KeyOrder(const std::string& partitioner)
    : by_(partitioner == "Murmur3Partitioner"       ? By::kToken
          : partitioner == "ByteOrderedPartitioner" ? By::kKey
                                                    : By::kUnknown) {}

bool KeyOrder::Follows(std::string_view key, const Hash128& hash) {
  if (by_ == By::kUnknown) {
    return true;
  }
  const int64_t token = by_ == By::kToken ? TokenOf(key, hash) : 0;
  const bool follows = !has_last_ || token > last_token_ ||
                       (token == last_token_ && key > last_key_);
  has_last_ = true;
  last_token_ = token;
  last_key_.assign(key);
  return follows;
}

}  // namespace cassandra_bloom::tools
