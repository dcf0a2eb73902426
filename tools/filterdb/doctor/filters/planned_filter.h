// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: what a filter that a policy of ours asks for takes, and how
// many absent keys pass it.
//
// Tested in tests/filterdb/doctor/advice_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_PLANNED_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_PLANNED_FILTER_H_

#include <optional>

#include "plugin/filter/sizing.h"
#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom::tools {

// Without a filter, every absent key passes.
struct PlannedFilter {
  double bits_per_key = 0;  // What the filter takes.
  double rate = 1;          // The share of absent keys that pass.
};

// The filter of a file of this level with many keys: a small one takes more
// bits per key. `sizing`: nullopt for no filter.
PlannedFilter PlanFilter(FilterType type, const std::optional<Sizing>& sizing,
                         int level);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_PLANNED_FILTER_H_
