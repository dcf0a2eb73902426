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
  // The number of the last level that holds data. If not set, it is the last
  // level of the database. With level_compaction_dynamic_level_bytes, RocksDB
  // fills levels from the last one upwards, otherwise from the first one
  // downwards.
  std::optional<int> bottom_level;

  // Returns the bits per key of the last level. Assumes that each level has 1/T
  // of the keys of the next deeper level, where T is size_ratio.
  double BottomBitsPerKey() const;

  double BitsPerKey(int levels_above) const;

  // Returns the most bits per key that any level gets. The false positive rate
  // is then a thousandth of that of the last level. A lower rate would gain
  // nothing.
  double MostBitsPerKey() const;

  // Returns a ratio: the keys of the last level, divided by the keys of all
  // other levels. From this ratio on, all filters together take at most
  // `factor` times the average, whatever the sizes of the other levels are.
  // `factor` must be at least 1.
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
  // gets the sizing for the last level, because bulk loads end there. With
  // `monkey` it gets the average.
  std::optional<Sizing> For(const SstPlace& place) const;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
