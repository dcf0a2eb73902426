// SPDX-License-Identifier: Apache-2.0

#include "plugin/lsm/level_sizing.h"

#include <algorithm>
#include <cmath>

namespace cassandra_bloom {
namespace {

constexpr double kLn2 = 0.69314718055994531;

// How many more bits per key a level has than the next deeper level.
double BitsPerKeyOfStep(const MonkeyAllocation& monkey) {
  return std::log(monkey.size_ratio) / (kLn2 * kLn2);
}

std::optional<Sizing> MonkeySizing(const MonkeyAllocation& monkey,
                                   const SstPlace& place) {
  const int bottom_level = monkey.bottom_level.value_or(place.num_levels - 1);
  const int levels_above =
      place.is_bottommost ? 0 : std::max(0, bottom_level - place.level);
  return SizingForBitsPerKey(monkey.BitsPerKey(levels_above));
}

}  // namespace

double MonkeyAllocation::BottomBitsPerKey() const {
  // How many levels a key is above the last level, as a mean over all keys.
  // This is the sum over i of i * (1 - 1/T) / T^i, where T is size_ratio.
  const double mean_levels_above = 1 / (size_ratio - 1);
  return average_bits_per_key - BitsPerKeyOfStep(*this) * mean_levels_above;
}

double MonkeyAllocation::BitsPerKey(int levels_above) const {
  return std::min(MostBitsPerKey(),
                  BottomBitsPerKey() + levels_above * BitsPerKeyOfStep(*this));
}

double MonkeyAllocation::MostBitsPerKey() const {
  return BottomBitsPerKey() + std::log(1000.0) / (kLn2 * kLn2);
}

double MonkeyAllocation::LastLevelRatioFor(double factor) const {
  // In the worst case, every key outside the last level has MostBitsPerKey()
  // bits.
  const double share_of_others =
      (factor * average_bits_per_key - BottomBitsPerKey()) /
      (MostBitsPerKey() - BottomBitsPerKey());
  return std::max(0.0, 1 / share_of_others - 1);
}

bool LevelSizing::IsUniform() const {
  return levels.size() == 1 && !has_bottommost && !monkey;
}

std::optional<Sizing> LevelSizing::For(const SstPlace& place) const {
  const bool is_unknown = place.level < 0;
  if (monkey && place.is_leveled && !is_unknown) {
    return MonkeySizing(*monkey, place);
  }
  if (has_bottommost && (place.is_bottommost || is_unknown)) {
    return bottommost;
  }
  const size_t last = levels.size() - 1;
  return levels[is_unknown ? last
                           : std::min(last, static_cast<size_t>(place.level))];
}

}  // namespace cassandra_bloom
