// SPDX-License-Identifier: Apache-2.0

// Finds the partition key in a storage key, that is, in a key of RocksDB.
// CassandraBloomOptions::partition_key (filter_policy.h) lists the spellings.
// No number in them is above 65535, because Cassandra's longest partition key
// has 65535 bytes.
//
// If a storage key ends before its partition key does, the whole storage key is
// taken. The bytes after the partition key never change the result.

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// Immutable, small and safe for concurrent use.
class PartitionKeyExtractor {
 public:
  constexpr PartitionKeyExtractor() = default;

  // Parses a spelling. For any other text, returns nullopt and sets `*error`.
  static std::optional<PartitionKeyExtractor> Parse(const std::string& spelling,
                                                    std::string* error);

  // Extractors that find the same part of every key have the same spelling. A
  // spelling has only letters, digits, colons and commas.
  std::string spelling() const;

  bool is_whole() const { return kind_ == Kind::kRest && skip_ == 0; }

  // Returns true if the bytes of a key tell where its partition key ends.
  bool has_end() const { return kind_ != Kind::kRest; }

  // Returns the partition key as a part of `key`. Returns all of `key` if `key`
  // is too short.
  std::string_view Extract(std::string_view key) const {
    return is_whole() ? key : Find(key).value_or(key);
  }

  // Returns the position in `key` at which the partition key ends. Returns
  // nullopt if `key` is too short.
  std::optional<size_t> End(std::string_view key) const;

 private:
  enum class Kind : uint8_t { kRest, kFixed, kU16, kComposite };

  constexpr PartitionKeyExtractor(size_t skip, Kind kind, size_t count)
      : kind_(kind), skip_(skip), count_(count) {}

  std::optional<std::string_view> Find(std::string_view key) const;

  Kind kind_ = Kind::kRest;
  size_t skip_ = 0;
  size_t count_ = 0;  // The number of bytes or components.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_
