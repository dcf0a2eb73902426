// SPDX-License-Identifier: Apache-2.0

#include "plugin/lsm/level_sizing.h"

#include <algorithm>
#include <cmath>

namespace cassandra_bloom {
namespace {

constexpr double kLn2 = 0.69314718055994531;

// How many more bits per key a level has than the next deeper level.
double BitsPerKeyOfStep(const MonkeyAllocation& monkey) {
  return std::log(monkey.level_ratio) / (kLn2 * kLn2);
}

// How many bits per key the average has more than the last level. The factor is
// how many levels a key is above the last level, as a mean over all keys: the
// sum over i of i * (1 - 1/T) / T^i, where T is level_ratio.
double AverageAboveBottom(const MonkeyAllocation& monkey) {
  return BitsPerKeyOfStep(monkey) / (monkey.level_ratio - 1);
}

}  // namespace

double MonkeyAllocation::BottomBitsPerKey() const {
  return std::max(1.0, average_bits_per_key - AverageAboveBottom(*this));
}

double MonkeyAllocation::BitsPerKey(int levels_above) const {
  return std::min(MostBitsPerKey(),
                  BottomBitsPerKey() + levels_above * BitsPerKeyOfStep(*this));
}

double MonkeyAllocation::MostBitsPerKey() const {
  return std::min(kMaxBitsPerKey,
                  BottomBitsPerKey() + std::log(1000.0) / (kLn2 * kLn2));
}

double MonkeyAllocation::RealAverage() const {
  return BottomBitsPerKey() + AverageAboveBottom(*this);
}

bool LevelSizing::IsUniform() const {
  return levels.size() == 1 && !has_bottommost && !is_monkey;
}

MonkeyAllocation LevelSizing::Monkey(double level_ratio) const {
  return {levels.front() ? levels.front()->bits_per_key() : 0, level_ratio};
}

std::optional<Sizing> LevelSizing::For(const SstPlace& place) const {
  const bool is_unknown = place.level < 0;
  if (is_monkey && place.level_ratio && !is_unknown) {
    const int levels_above =
        place.is_bottommost ? 0
                            : std::max(0, place.num_levels - 1 - place.level);
    return SizingForBitsPerKey(
        Monkey(*place.level_ratio).BitsPerKey(levels_above));
  }
  if (has_bottommost && (place.is_bottommost || is_unknown)) {
    return bottommost;
  }
  const size_t last = levels.size() - 1;
  return levels[is_unknown ? last
                           : std::min(last, static_cast<size_t>(place.level))];
}

}  // namespace cassandra_bloom
