// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: the size and the false positive rate of a filter that
// cassandra_bloom plans.
//
// Tested in tests/sst_filters/advice_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_PLANNED_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_PLANNED_FILTER_H_

#include <optional>

#include "plugin/filter/sizing.h"
#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom::tools {

// The default is no filter, so that every absent key passes.
struct PlannedFilter {
  double bits_per_key = 0;  // The size of the filter.
  double rate = 1;          // The share of absent keys that pass.
};

// Returns the filter that a file in this level gets. Assumes many keys, because
// a filter of few keys takes more bits per key. `sizing` is nullopt for no
// filter.
PlannedFilter PlanFilter(FilterType type, const std::optional<Sizing>& sizing,
                         int level);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_PLANNED_FILTER_H_
