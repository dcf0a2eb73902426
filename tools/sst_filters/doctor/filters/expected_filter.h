// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: whether the options of a column family give an SST file a
// filter.
//
// Tested in tests/sst_filters/files/options_file_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_EXPECTED_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_EXPECTED_FILTER_H_

#include <rocksdb/table_properties.h>

#include <string>

#include "plugin/export/live_ssts.h"
#include "tools/sst_filters/doctor/files/options_file.h"

namespace cassandra_bloom::tools {

enum class Expected {
  kFilter,
  // No filter, for one of two reasons. The policy or optimize_filters_for_hits
  // says so. Or the filter would hold only prefixes, but no key has a prefix.
  kNone,
  // No filter, because the options allow neither keys nor prefixes in a filter.
  kNothingToHold,
};

// Returns whether the options give a filter to `file`, which has none. `live`
// contains `file`, and is sorted by column family and level.
Expected ExpectedOf(const LiveSst& file,
                    const ROCKSDB_NAMESPACE::TableProperties& properties,
                    const LiveSsts& live, const FamilyOptions& options);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_EXPECTED_FILTER_H_
