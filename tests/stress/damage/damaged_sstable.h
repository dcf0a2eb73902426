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
  uint64_t position;  // The offset in the uncompressed Data.db.
};

struct WholeSstable {
  std::string start;  // A component's path without its name: "DIR/nb-1-big-".
  std::string version;
  bool is_compressed = false;
  std::vector<std::string> components;
  std::vector<PositionedKey> keys;
  std::vector<uint64_t> index_entries;  // Where each entry of Index.db begins.

  std::string name() const;  // "nb-1-big-"
};

// Reads the only SSTable in a folder.
WholeSstable ReadWhole(const std::string& folder);

// Two SSTables of one version. AllPairs returns pairs of every version: those
// that Cassandra wrote, and ones that it writes into `folder`, of which some
// are compressed. Each of the latter pairs has equally many keys in both
// SSTables.
struct Pair {
  WholeSstable one;
  WholeSstable other;
};
std::vector<Pair> AllPairs(const std::string& folder, uint64_t seed);

struct DamagedSstable {
  std::string what;   // What was damaged, for messages.
  std::string start;  // As in WholeSstable.
  std::string version;
  // The keys of the SSTable that its Data.db still has.
  std::vector<std::string> keys;
  std::optional<std::string> filter;  // The content of Filter.db.
};

// Copies `pair.one` into `folder`, gives the copy a good filter, a faulty one
// or none, and then damages one component of the copy.
DamagedSstable Damage(const Pair& pair, const std::string& folder,
                      uint64_t* random);

// The content of a file, or no value if there is no file.
std::optional<std::string> ContentOf(const std::string& path);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_DAMAGE_DAMAGED_SSTABLE_H_
