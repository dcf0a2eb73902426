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
  // T: each level has T times as many keys as the level above it, and the last
  // level holds data. nullopt if that is not so, or not known: only in leveled
  // compaction is each level one sorted run that is larger than the one above.
  std::optional<double> level_ratio;
};

// The range of T. With less than 2, Monkey's average would be far too high for
// small databases. With more than 1000, no level gets other bits than with 1000
// (MonkeyAllocation::MostBitsPerKey).
constexpr double kLeastLevelRatio = 2;
constexpr double kMostLevelRatio = 1000;

// The range of Monkey's average, in bits per key. With T = 10, the last level
// then has at least 1 bit per key, and no level has more than kMaxBitsPerKey.
constexpr double kLeastMonkeyAverage = 1.5325;
constexpr double kMostMonkeyAverage = 86.1544;

// Spreads an average number of bits per key over the levels, so that there are
// the fewest false positives in the same memory. For this, the false positive
// rate of a level must be proportional to the size of the level (Dayan,
// Athanassoulis, Idreos: Monkey, SIGMOD 2017). If a level has 1/T of the keys
// of the next deeper level, it gets ln T / (ln 2)^2 more bits per key.
struct MonkeyAllocation {
  double average_bits_per_key = 10;
  double level_ratio = 10;  // T, kLeastLevelRatio to kMostLevelRatio.

  // Returns the bits per key of the last level, at least 1. Assumes that each
  // level has 1/T of the keys of the next deeper level.
  double BottomBitsPerKey() const;

  double BitsPerKey(int levels_above) const;

  // Returns the most bits per key that any level gets. With these bits, the
  // false positive rate is 1/1000 of the last level's rate. More bits would
  // gain nothing.
  double MostBitsPerKey() const;

  // Returns the average that levels of these sizes have. It is more than
  // average_bits_per_key if BottomBitsPerKey would otherwise be less than 1.
  double RealAverage() const;
};

// The sizing of filters by level. A nullopt means that no filter is built.
struct LevelSizing {
  // The sizing for level 0, level 1, and so on. The last element is also for
  // all deeper levels. There is at least one element.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // If true, bottommost files and files whose level is unknown get `bottommost`
  // instead of an element of `levels`.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // If true, the only element of `levels` is the average of a MonkeyAllocation.
  // Files with a known level and a known level_ratio get its sizing. All other
  // files get the average.
  bool is_monkey = false;

  bool IsUniform() const;

  MonkeyAllocation Monkey(double level_ratio) const;

  // Returns the sizing for a file at this place. A file whose level is unknown
  // gets the sizing for the last level, because bulk loads end there. If
  // `is_monkey`, a file whose level is unknown gets the average.
  std::optional<Sizing> For(const SstPlace& place) const;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
