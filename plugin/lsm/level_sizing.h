// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
#define CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom {

// The sizing of filters by the place in the database to which an SST file is
// written. If RocksDB later moves the file unchanged to a deeper level, the
// file keeps its filter. A nullopt means that no filter is built.
struct LevelSizing {
  // The sizing for level 0, level 1, and so on. The last element is also for
  // all deeper levels. There is at least one element.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // If true, bottommost files and files whose level is unknown get `bottommost`
  // instead of an element of `levels`.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // Returns the sizing for a file. `level` is negative if it is unknown, as in
  // SstFileWriter. Such a file gets the sizing for the last level, because bulk
  // loads end there. `is_bottommost` is true if no deeper level has keys in the
  // key range of the file.
  std::optional<Sizing> For(int level, bool is_bottommost) const {
    if (has_bottommost && (is_bottommost || level < 0)) {
      return bottommost;
    }
    const size_t last = levels.size() - 1;
    return levels[level < 0 ? last
                            : std::min(last, static_cast<size_t>(level))];
  }
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_LSM_LEVEL_SIZING_H_
