// SPDX-License-Identifier: Apache-2.0

// Storage keys that contain partition keys, as in database engines.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_PARTITION_LAYOUTS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_PARTITION_LAYOUTS_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {

inline std::string BigEndian(uint64_t number, int size) {
  std::string bytes;
  for (int i = size - 1; i >= 0; --i) {
    bytes += static_cast<char>(number >> (8 * i));
  }
  return bytes;
}

inline std::string WithLength(const std::string& bytes) {
  return BigEndian(bytes.size(), 2) + bytes;
}

inline std::string Hex16(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(number));
  return text;
}

// Returns a number that looks random, in place of a partitioner's token.
inline uint64_t TokenOf(uint64_t partition) {
  uint64_t state = partition;
  return NextRandom(&state);
}

// The names differ in length, and contain a byte above 0x7f.
inline std::string NameOf(uint64_t partition) {
  return "p\xC3" + std::to_string(partition * 2654435761u) +
         std::string(partition % 7, 'x');
}

struct PartitionLayout {
  const char* name;
  const char* partition_key;  // A policy's option partition_key.
  // Returns the partition key that must be found in the storage keys.
  std::string (*key_of)(uint64_t partition);
  // Returns the storage key up to the end of the partition key.
  std::string (*prefix_of)(uint64_t partition);
};

inline const PartitionLayout kPartitionLayouts[] = {
    {"TokenLengthKey", "skip:8,u16", NameOf,
     [](uint64_t partition) {
       return BigEndian(TokenOf(partition), 8) + WithLength(NameOf(partition));
     }},
    {"FixedId", "fixed:16",
     [](uint64_t partition) { return Hex16(TokenOf(partition)); },
     [](uint64_t partition) { return Hex16(TokenOf(partition)); }},
    {"LengthKey", "u16", NameOf,
     [](uint64_t partition) { return WithLength(NameOf(partition)); }},
    {"TokenFixedId", "skip:8,fixed:4",
     [](uint64_t partition) { return BigEndian(partition, 4); },
     [](uint64_t partition) {
       return BigEndian(TokenOf(partition), 8) + BigEndian(partition, 4);
     }},
    {"TokenComposite", "skip:8,composite:2",
     [](uint64_t partition) {
       return WithLength(BigEndian(partition, 4)) + '\0' +
              WithLength(NameOf(partition)) + '\0';
     },
     [](uint64_t partition) {
       return BigEndian(TokenOf(partition), 8) +
              WithLength(BigEndian(partition, 4)) + '\0' +
              WithLength(NameOf(partition)) + '\0';
     }},
    {"TokenKey", "skip:8", nullptr, nullptr},
    {"Whole", "whole", nullptr, nullptr},
};

inline bool HasEnd(const PartitionLayout& layout) {
  return layout.prefix_of != nullptr;
}

// Without `prefix_of`, every row is a partition of its own.
inline std::string StorageKey(const PartitionLayout& layout, uint64_t partition,
                              uint64_t row) {
  const std::string clustering = BigEndian(row * 40503, 4);
  return HasEnd(layout) ? layout.prefix_of(partition) + clustering
                        : BigEndian(TokenOf(partition), 8) + NameOf(partition) +
                              clustering;
}

inline std::string PartitionKey(const PartitionLayout& layout,
                                uint64_t partition, uint64_t row) {
  if (HasEnd(layout)) {
    return layout.key_of(partition);
  }
  const std::string key = StorageKey(layout, partition, row);
  return layout.partition_key == std::string("whole") ? key : key.substr(8);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_PARTITION_LAYOUTS_H_
