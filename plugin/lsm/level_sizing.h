// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_

#include <optional>
#include <vector>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom {

// The place in the database to which an SST file is written. If RocksDB later
// moves the file unchanged to a deeper level, the file keeps its filter.
struct SstPlace {
  int level = -1;       // -1 if unknown, as in SstFileWriter.
  int num_levels = -1;  // -1 if unknown.
  // True if no deeper level has keys in the key range of the file.
  bool is_bottommost = false;
  // True for leveled compaction. In leveled compaction each level is one sorted
  // run and is larger than the level above it.
  bool is_leveled = true;
};

// Spreads an average number of bits per key over the levels, so that there are
// the fewest false positives in the same memory. For this, the false positive
// rate of a level must be proportional to the size of the level (Dayan,
// Athanassoulis, Idreos: Monkey, SIGMOD 2017). If a level has 1/T of the keys
// of the next deeper level, it gets ln T / (ln 2)^2 more bits per key.
struct MonkeyAllocation {
  double average_bits_per_key = 10;
  double size_ratio = 10;  // T, at least kMinSizeRatio.
  // The number of the last level that holds data. If it is not set, this is the
  // last level of the database. That is right with
  // level_compaction_dynamic_level_bytes, because RocksDB then fills the levels
  // from the last one upwards. Without that option the number must be set,
  // because RocksDB fills the levels from the first one downwards.
  std::optional<int> bottom_level;

  // Returns the bits per key of the last level. Assumes that each level has 1/T
  // of the keys of the next deeper level, where T is size_ratio.
  double BottomBitsPerKey() const;

  double BitsPerKey(int levels_above) const;

  // Returns the most bits per key that any level gets. With these bits, the
  // false positive rate is 1/1000 of the last level's rate. More bits would
  // gain nothing.
  double MostBitsPerKey() const;

  // Returns how many times as many keys the last level must have as all other
  // levels together. All filters together then take at most `factor` times the
  // average, whatever the sizes of the other levels are. `factor` must be at
  // least 1.
  double LastLevelRatioFor(double factor) const;
};

constexpr double kMinSizeRatio = 2;
constexpr double kMaxSizeRatio = 1000;

// The sizing of filters by level. A nullopt means that no filter is built.
struct LevelSizing {
  // The sizing for level 0, level 1, and so on. The last element is also for
  // all deeper levels. There is at least one element.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // If true, bottommost files and files whose level is unknown get `bottommost`
  // instead of an element of `levels`.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // If set, files with a known level get the sizing of `monkey` in leveled
  // compaction. All other files get the average, which is then in `levels`.
  std::optional<MonkeyAllocation> monkey;

  bool IsUniform() const;

  // Returns the sizing for a file at this place. A file whose level is unknown
  // gets the sizing for the last level, because bulk loads end there. If
  // `monkey` is set, a file whose level is unknown gets the average.
  std::optional<Sizing> For(const SstPlace& place) const;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
