// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/level_ratio.h"

#include <algorithm>
#include <cmath>

#include "plugin/lsm/level_sizing.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DBOptions;

double LevelRatioOf(double multiplier) {
  return std::isfinite(multiplier)
             ? std::clamp(multiplier, kLeastLevelRatio, kMostLevelRatio)
             : kLeastLevelRatio;
}

void LevelRatio::See(const DBOptions& db_options,
                     const ColumnFamilyOptions& cf_options) {
  if (cf_options.compaction_style != ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    return;
  }
  // With several paths, RocksDB switches dynamic levels off later
  // (SanitizeOptions in db/column_family.cc).
  const auto& paths =
      cf_options.cf_paths.empty() ? db_options.db_paths : cf_options.cf_paths;
  if (!cf_options.level_compaction_dynamic_level_bytes || paths.size() > 1) {
    has_static_levels_ = true;
    return;
  }
  const double ratio = LevelRatioOf(cf_options.max_bytes_for_level_multiplier);
  double before = smallest_;
  while ((before == 0 || ratio < before) &&
         !smallest_.compare_exchange_weak(before, ratio)) {
  }
}

std::optional<double> LevelRatio::Get() const {
  const double smallest = smallest_;
  return smallest == 0 || has_static_levels_ ? std::nullopt
                                             : std::optional(smallest);
}

}  // namespace cassandra_bloom
