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
  int level = -1;       // -1: unknown, as in a file that is to be ingested.
  int num_levels = -1;  // -1: unknown.
  // True if no deeper level has keys of the file's range.
  bool is_bottommost = false;
  // True for leveled compaction, in which each level is one sorted run, larger
  // than the one above.
  bool is_leveled = true;
};

// Spreads an average number of bits per key over the levels so that the same
// memory gives the fewest false positives: the false positive rate of a level
// is in proportion to its size (Dayan, Athanassoulis, Idreos: Monkey, SIGMOD
// 2017). A level with 1/T of the keys of the one below it takes ln T / (ln 2)^2
// more bits per key.
struct MonkeyAllocation {
  double average_bits_per_key = 10;
  double size_ratio = 10;  // T, at least kMinSizeRatio
  // The number of the last level that holds data; if not set, this is the last
  // level of the database. RocksDB fills levels from the last one up with
  // level_compaction_dynamic_level_bytes, and from the first one down without
  // that option.
  std::optional<int> bottom_level;

  // The bits per key of the last level. That level holds all but 1/T of the
  // keys, the one above it all but 1/T of the rest, and so on.
  double BottomBitsPerKey() const;

  // The bits per key of a level that is `levels_above` levels above the last
  // one.
  double BitsPerKey(int levels_above) const;

  // The most bits per key that any level gets. A rate of false positives more
  // than a thousand times lower than that of the last level would gain nothing.
  double MostBitsPerKey() const;

  // Filters take at most `factor` times the average, whatever the sizes of the
  // other levels, once the last level has this many times the keys of all
  // others together. `factor` must be at least 1.
  double LastLevelRatioFor(double factor) const;
};

constexpr double kMinSizeRatio = 2;
constexpr double kMaxSizeRatio = 1000;

// The sizing of filters by level. Where a Sizing is nullopt, no filter is
// built.
struct LevelSizing {
  // The sizing for level 0, level 1, and so on; the last one is also for all
  // further levels. At least one element.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // If true, `bottommost` replaces `levels` for bottommost files and for files
  // whose level is unknown.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // If set, replaces `levels` and `bottommost` in leveled compaction. `levels`
  // then has the average, for files whose level is unknown and for other
  // compaction styles, where the number of a level does not tell the size of a
  // run.
  std::optional<MonkeyAllocation> monkey;

  bool IsUniform() const;

  // The sizing for a file at this place. A file whose level is unknown gets the
  // sizing for the last level, because bulk loads end there; with `monkey` it
  // gets the average.
  std::optional<Sizing> For(const SstPlace& place) const;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
