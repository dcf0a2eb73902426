// SPDX-License-Identifier: Apache-2.0

// Where the partition key is in a storage key.
//
//   whole                the storage key itself
//   fixed:N              its first N bytes
//   skip:S               all that is behind its first S bytes
//   skip:S,fixed:N       N bytes behind the first S
//   skip:S,u16           as many bytes as the big-endian 16-bit number behind
//                        the first S bytes says, behind that number: how
//                        Cassandra writes a key (writeWithShortLength)
//   skip:S,composite:C   C components behind the first S bytes, each a
//                        big-endian 16-bit length, as many bytes and one that
//                        ends the component; all of that is the partition key,
//                        as in Cassandra (CompositeType)
//
// `u16` and `composite:C` alone skip nothing. Numbers are at most 65535, which
// is also the longest partition key of Cassandra.
//
// A storage key that ends before its partition key does is taken whole. What
// is found depends on no byte behind the partition key, so that it is the same
// in every key that begins like this one.

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// A small value that never changes; safe for concurrent use.
class PartitionKeyExtractor {
 public:
  // The whole key.
  constexpr PartitionKeyExtractor() = default;

  // None for anything but one of the above, with what is wrong and what would
  // be right.
  static std::optional<PartitionKeyExtractor> Parse(const std::string& spelling,
                                                    std::string* error);

  // Extractors that find the same have the same one. It holds letters, digits,
  // colons and commas only.
  std::string spelling() const;

  bool is_whole() const { return kind_ == Kind::kRest && skip_ == 0; }

  // Whether the bytes themselves tell where the partition key ends, so that
  // another part of the storage key may follow.
  bool has_end() const { return kind_ != Kind::kRest; }

  // The partition key, a part of `key`; all of `key` if that is too short.
  std::string_view Extract(std::string_view key) const {
    return is_whole() ? key : Find(key).value_or(key);
  }

  // Where the partition key ends; none if `key` is too short.
  std::optional<size_t> End(std::string_view key) const;

 private:
  enum class Kind : uint8_t { kRest, kFixed, kU16, kComposite };

  constexpr PartitionKeyExtractor(size_t skip, Kind kind, size_t count)
      : kind_(kind), skip_(skip), count_(count) {}

  std::optional<std::string_view> Find(std::string_view key) const;

  Kind kind_ = Kind::kRest;
  size_t skip_ = 0;
  size_t count_ = 0;  // Of bytes or components.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_PARTITION_KEY_H_
