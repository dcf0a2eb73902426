// SPDX-License-Identifier: Apache-2.0

// Chooses bits per key by the level of the SST file for which a filter is
// built.

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_

#include <optional>
#include <vector>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom {

// The place that an SST file is written to. RocksDB may later move the file,
// unchanged, to a deeper level; the file then keeps its filter.
struct SstPlace {
  int level = -1;       // -1: unknown, as for a file that is to be ingested.
  int num_levels = -1;  // -1: unknown.
  // True if no deeper level has keys in the file's range of keys.
  bool is_bottommost = false;
  // True for leveled compaction, in which each level is one sorted run, larger
  // than the run of the level above.
  bool is_leveled = true;
};

// Spreads an average number of bits per key over the levels in the way that
// causes the fewest false positives with the same memory: the false positive
// rate of a level is in proportion to the level's size (Dayan, Athanassoulis,
// Idreos: Monkey, SIGMOD 2017). If a level has 1/T of the keys of the next
// deeper level, it gets ln T / (ln 2)^2 more bits per key.
struct MonkeyAllocation {
  double average_bits_per_key = 10;
  double size_ratio = 10;  // T, at least kMinSizeRatio
  // The number of the last level that holds data. If it is not set, this is the
  // last level of the database. With level_compaction_dynamic_level_bytes,
  // RocksDB fills levels from the last one up, otherwise from the first one
  // down.
  std::optional<int> bottom_level;

  // The bits per key of the last level. That level is assumed to hold all but
  // 1/T of the keys, the level above it all but 1/T of the rest, and so on.
  double BottomBitsPerKey() const;

  // The bits per key of the level that is `levels_above` levels above the last
  // level.
  double BitsPerKey(int levels_above) const;

  // The most bits per key that any level gets. With them, its false positive
  // rate is a thousandth of the last level's. A lower rate would gain nothing.
  double MostBitsPerKey() const;

  // Filters take at most `factor` times the average, whatever the sizes of the
  // other levels, once the last level has this many times the keys of all
  // others together. `factor` must be at least 1.
  double LastLevelRatioFor(double factor) const;
};

constexpr double kMinSizeRatio = 2;
constexpr double kMaxSizeRatio = 1000;

// The sizing of filters by level. nullopt in place of a Sizing: no filter is
// built.
struct LevelSizing {
  // The sizing for level 0, level 1, and so on. The last element is also for
  // all deeper levels. There is at least one element.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // If true, `bottommost` is used instead of `levels` for bottommost files and
  // for files whose level is unknown.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // If set, it is used instead of `levels` and `bottommost` for files whose
  // level is known, in leveled compaction. `levels` then has the average. The
  // average is used for files whose level is unknown, and in other compaction
  // styles, in which a level's number does not tell the size of a run.
  std::optional<MonkeyAllocation> monkey;

  bool IsUniform() const;

  // The sizing for a file at this place. A file whose level is unknown gets the
  // sizing for the last level, because bulk loads end there. With `monkey` it
  // gets the average.
  std::optional<Sizing> For(const SstPlace& place) const;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
