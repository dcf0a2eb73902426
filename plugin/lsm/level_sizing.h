// SPDX-License-Identifier: Apache-2.0

// Bits per key by the level of the SST file that a filter is built for.

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_

#include <optional>
#include <vector>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom {

// Where an SST file is written to. It may be moved to deeper levels later, as
// it is: then its filter stays what it was.
struct SstPlace {
  int level = -1;       // -1: unknown, as in a file that is to be ingested.
  int num_levels = -1;  // -1: unknown.
  // Nothing below has keys of its range.
  bool is_bottommost = false;
  // Leveled compaction, in which each level is one sorted run, larger than the
  // one above.
  bool is_leveled = true;
};

// Spreads an average over the levels so that false positives are fewest in the
// same memory: those of a level are in proportion to its size (Dayan,
// Athanassoulis, Idreos: Monkey, SIGMOD 2017). Each level of 1/T of the keys of
// the one below takes ln T / (ln 2)^2 more bits per key.
struct MonkeyAllocation {
  double average_bits_per_key = 10;
  double size_ratio = 10;  // T, at least kMinSizeRatio
  // The number of the last level that holds data; none: the last there is.
  // RocksDB fills levels from the last one up with
  // level_compaction_dynamic_level_bytes, and from the first one down without.
  std::optional<int> bottom_level;

  // What the last level gets. It holds all but 1/T of the keys, the one above
  // all but 1/T of what is left, and so on.
  double BottomBitsPerKey() const;

  // What a level gets that is so many levels above the last one.
  double BitsPerKey(int levels_above) const;

  // What no level goes beyond: more than thousandfold fewer false positives
  // than in the last level gain nothing.
  double MostBitsPerKey() const;
};

constexpr double kMinSizeRatio = 2;
constexpr double kMaxSizeRatio = 1000;

// No sizing: no filter.
struct LevelSizing {
  // That of level 0, 1, and so on; the last one is that of all further levels.
  // At least one.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // Instead of the above in files that are the last with keys of their range.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // Instead of both in leveled compaction. `levels` has the average, for files
  // whose level is unknown, and for other compactions: a level there is not a
  // run of a size that its number tells.
  std::optional<MonkeyAllocation> monkey;

  bool IsUniform() const;

  // By a list, a file whose level is unknown is taken as one of the last level:
  // that is where bulk loads come to rest.
  std::optional<Sizing> For(const SstPlace& place) const;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
