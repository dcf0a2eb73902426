// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/detect_form.h"

#include <cmath>
#include <memory>
#include <string_view>

#include "filterdb/health/filter_fill.h"

namespace cassandra_bloom::tools {

std::optional<FilterForm> DetectForm(const std::string& filter_path,
                                     FilterForm not_this_one, KeyReader* keys,
                                     std::string* error) {
  constexpr double kUnlikely = 0.001;
  error->clear();
  for (const FilterForm form : {kNaAndLater, kMaToMe, kBeforeMa}) {
    if (form == not_this_one) {
      continue;
    }
    const auto filter = FilterDbFile::Open(filter_path, form, error);
    if (filter == nullptr) {
      return std::nullopt;
    }
    bool has_all = keys->Rewind();
    double num_keys = 0;
    for (std::string_view key; has_all && keys->Next(&key); ++num_keys) {
      has_all = filter->MayContain(key);
    }
    if (!keys->error().empty()) {
      *error = keys->error();
      return std::nullopt;
    }
    // All keys may pass by chance if there are few of them, or if many bits of
    // the filter are set.
    if (has_all && std::pow(FillOf(*filter).rate(), num_keys) <= kUnlikely) {
      return form;
    }
  }
  return std::nullopt;
}

}  // namespace cassandra_bloom::tools
