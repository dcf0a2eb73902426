// SPDX-License-Identifier: Apache-2.0

// Finds the partition key in a storage key.
//
//   whole                the storage key itself
//   fixed:N              the first N bytes of the storage key
//   skip:S               everything after the first S bytes
//   skip:S,fixed:N       N bytes after the first S bytes
//   skip:S,u16           after the first S bytes: a big-endian 16-bit length
//                        and then the partition key, of that many bytes, as
//                        Cassandra writes a key (writeWithShortLength)
//   skip:S,composite:C   after the first S bytes: C components, each of a
//                        big-endian 16-bit length, that many bytes, and one
//                        more byte. Lengths and all other bytes belong to the
//                        partition key, as in Cassandra (CompositeType)
//
// `u16` and `composite:C` without `skip:S` skip nothing. No number is above
// 65535, which is also the length of Cassandra's longest partition key.
//
// A storage key that ends before its partition key ends is taken whole. The
// result never depends on the bytes after the partition key. So it is the same
// for all storage keys with the same bytes up to the end of the partition key.

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// A small immutable value; safe for concurrent use.
class PartitionKeyExtractor {
 public:
  // Extracts the whole key.
  constexpr PartitionKeyExtractor() = default;

  // Parses one of the spellings at the head of this file. For any other text,
  // returns nullopt, with an error that names the text and lists the valid
  // spellings.
  static std::optional<PartitionKeyExtractor> Parse(const std::string& spelling,
                                                    std::string* error);

  // Extractors that find the same part of every key have the same spelling. A
  // spelling contains only letters, digits, colons and commas.
  std::string spelling() const;

  bool is_whole() const { return kind_ == Kind::kRest && skip_ == 0; }

  // True if the bytes of a key tell where its partition key ends, so that other
  // parts of the storage key may follow.
  bool has_end() const { return kind_ != Kind::kRest; }

  // Returns the partition key as a part of `key`. If `key` is too short,
  // returns all of `key`.
  std::string_view Extract(std::string_view key) const {
    return is_whole() ? key : Find(key).value_or(key);
  }

  // The position in `key` at which the partition key ends. nullopt if `key` is
  // too short.
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
