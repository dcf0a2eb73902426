// SPDX-License-Identifier: Apache-2.0

// Whole SSTables, and copies of them in which one component is damaged.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

struct PositionedKey {
  std::string key;
  uint64_t position;  // In Data.db, uncompressed.
};

struct WholeSstable {
  std::string start;  // The paths of its components without their names.
  std::string version;
  bool is_compressed = false;
  std::vector<std::string> components;
  std::vector<PositionedKey> keys;
  std::vector<uint64_t> index_entries;  // Where each begins in Index.db.

  std::string name() const;  // "nb-1-big-"
};

// The SSTable in a folder that has no other.
WholeSstable ReadWhole(const std::string& folder);

// SSTables of every version and kind, in pairs that have the version and the
// number of keys in common: those that Cassandra wrote, and ones that are
// written into `folder`.
struct Pair {
  WholeSstable one;
  WholeSstable other;
};
std::vector<Pair> AllPairs(const std::string& folder, uint64_t seed);

struct DamagedSstable {
  std::string what;   // What was done to it.
  std::string start;  // As in WholeSstable.
  std::string version;
  // The keys of the SSTable that its Data.db still has.
  std::vector<std::string> keys;
  std::optional<std::string> filter;  // The content of Filter.db.
};

// Copies `pair.one` into `folder`, gives it a filter with a fault or none, and
// damages one component.
DamagedSstable Damage(const Pair& pair, const std::string& folder,
                      uint64_t* random);

// The content of a file; nothing if there is none.
std::optional<std::string> ContentOf(const std::string& path);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_
