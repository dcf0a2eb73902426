// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/detect_form.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>

#include "filterdb/health/filter_fill.h"

namespace cassandra_bloom::tools {
namespace {

constexpr FilterForm kAllForms[] = {kNaAndLater, kMaToMe, kBeforeMa};

// Returns whether the filter has all keys. Sets `*count` to the number of keys
// before the first key that the filter denies.
bool HasAllKeys(const FilterDbFile& filter, KeyReader* keys, uint64_t* count) {
  std::string_view key;
  for (*count = 0; keys->Next(&key); ++*count) {
    if (!filter.MayContain(key)) {
      return false;
    }
  }
  return keys->error().empty();
}

// Returns whether `num_keys` keys may pass the filter only by chance. This is
// likely if many bits of the filter are set, or if there are few keys.
bool MayBeChance(const FilterDbFile& filter, uint64_t num_keys) {
  constexpr double kUnlikely = 0.001;
  return std::pow(FillOf(filter).rate(), static_cast<double>(num_keys)) >
         kUnlikely;
}

}  // namespace

std::optional<FilterForm> DetectForm(const std::string& filter_path,
                                     FilterForm not_this_one, KeyReader* keys,
                                     std::string* error) {
  error->clear();
  for (const FilterForm form : kAllForms) {
    if (form == not_this_one) {
      continue;
    }
    const auto filter = FilterDbFile::Open(filter_path, form, error);
    if (filter == nullptr) {
      return std::nullopt;
    }
    uint64_t num_keys = 0;
    const bool has_all = keys->Rewind() && HasAllKeys(*filter, keys, &num_keys);
    if (!keys->error().empty()) {
      *error = keys->error();
      return std::nullopt;
    }
    if (has_all && !MayBeChance(*filter, num_keys)) {
      return form;
    }
  }
  return std::nullopt;
}

}  // namespace cassandra_bloom::tools
