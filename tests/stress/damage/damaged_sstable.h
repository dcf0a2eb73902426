// SPDX-License-Identifier: Apache-2.0

// Whole SSTables, and copies of them with one damaged component.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

struct PositionedKey {
  std::string key;
  uint64_t position;  // The offset in the uncompressed Data.db.
};

struct WholeSstable {
  std::string start;  // Start of all paths: "DIR/nb-1-big-".
  std::string version;
  bool is_compressed = false;
  std::vector<std::string> components;
  std::vector<PositionedKey> keys;
  std::vector<uint64_t> index_entries;  // Offset of each entry of Index.db.

  std::string name() const;  // Such as "nb-1-big-".
};

// Reads the only SSTable in a folder.
WholeSstable ReadWhole(const std::string& folder);

// Two SSTables of the same version.
struct Pair {
  WholeSstable one;
  WholeSstable other;
};
// Returns pairs of SSTables that Cassandra wrote, and pairs that this function
// writes into `folder`.
std::vector<Pair> AllPairs(const std::string& folder, uint64_t seed);

struct DamagedSstable {
  std::string what;   // What was damaged, for messages.
  std::string start;  // Like WholeSstable::start.
  std::string version;
  // The keys that the damaged Data.db still has.
  std::vector<std::string> keys;
  std::optional<std::string> filter;  // The content of Filter.db.
};

// Copies `pair.one` into `folder`, with a good, a faulty or no filter. Then
// damages one component of the copy.
DamagedSstable Damage(const Pair& pair, const std::string& folder,
                      uint64_t* random);

// Returns the content of a file, or no value if the file does not exist.
std::optional<std::string> ContentOf(const std::string& path);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_
