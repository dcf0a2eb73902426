// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/memory_fit.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "plugin/filter/block_layout.h"
#include "plugin/policy/block_form.h"

namespace cassandra_bloom {
namespace {

// The bytes of a cached block that do not belong to its Filter.db: our trailer,
// and the five bytes of type and checksum that RocksDB reads with each block
// (BlockBasedTable::kBlockTrailerSize).
constexpr size_t kRocksdbsBlockTrailer = 5;
constexpr size_t kBesideFilterDb = sizeof(kTrailer) + kRocksdbsBlockTrailer;

}  // namespace

size_t UsableSize(size_t size) {
  const std::unique_ptr<char[]> memory(new (std::nothrow) char[size]);
  return memory == nullptr ? size
                           : std::max(size, malloc_usable_size(memory.get()));
}

uint32_t MemoryFit::Fill(uint32_t num_words) const {
  const size_t usable = usable_size_(FilterDbSize(num_words) + kBesideFilterDb);
  return std::max(num_words, FilterWordsWithin(usable - kBesideFilterDb));
}

uint32_t MemoryFit::NextSmaller(uint32_t num_words) const {
  for (uint64_t sixteenths = 15; sixteenths >= 12; --sixteenths) {
    const uint32_t smaller =
        Fill(static_cast<uint32_t>((num_words * sixteenths + 15) / 16));
    if (smaller < num_words) {
      return smaller;
    }
  }
  return num_words;
}

uint32_t MemoryFit::NumWords(const Sizing& sizing, uint64_t num_keys,
                             uint32_t max_words) try {
  const uint32_t planned = std::min(sizing.NumWords(num_keys), max_words);
  // Three kinds of filters keep the planned size. In very small filters, one
  // word is too large a step. Filters with `max_words` words may have too many
  // keys already, so they must not shrink. Very large filters may not fit into
  // memory if they are enlarged.
  constexpr uint32_t kFewWords = 8;
  if (planned < kFewWords || planned == max_words ||
      planned > kMaxAddressableWords / 4 * 3) {
    return planned;
  }
  const auto rate = [&](uint32_t num_words) {
    return sizing.ExpectedRate(num_keys, FilterDbSize(num_words));
  };
  const double planned_rate = rate(planned);
  uint32_t larger = std::min(Fill(planned), max_words);
  if (larger > planned + planned / 3) {
    larger = planned;
  }
  const uint32_t smaller = NextSmaller(planned);

  const std::lock_guard<std::mutex> lock(mutex_);
  double& excess = excess_[{sizing.millibits_per_key, std::ilogb(planned)}];
  const double with_smaller = excess + rate(smaller) - planned_rate;
  if (smaller < planned && with_smaller <= 0) {
    excess = with_smaller;
    return smaller;
  }
  // Limits the savings to the amount that one filter of 3/4 of its planned size
  // would use up.
  excess = std::max(excess + rate(larger) - planned_rate,
                    planned_rate - rate(planned / 4 * 3));
  return larger;
} catch (const std::bad_alloc&) {
  return std::min(sizing.NumWords(num_keys), max_words);
}

}  // namespace cassandra_bloom
