// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: which filter the options of a column family give an SST
// file.
//
// Tested in tests/filterdb/doctor/files/options_file_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXPECTED_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXPECTED_FILTER_H_

#include <rocksdb/table_properties.h>

#include <string>

#include "plugin/export/live_ssts.h"
#include "tools/filterdb/doctor/files/options_file.h"

namespace cassandra_bloom::tools {

// The name of the filters that RocksDB asks, as in SST files. Returns "" if it
// asks none of ours.
std::string FilterNameOf(const FamilyOptions& options);

enum class Expected {
  kFilter,
  // None: the policy or optimize_filters_for_hits says so, or no key of the
  // file has a prefix and only prefixes are wanted.
  kNone,
  // None, because the filter may hold neither keys nor prefixes.
  kNothingToHold,
};

// What the options say about a file that has no filter. `live` is sorted, and
// has the file.
Expected ExpectedOf(const LiveSst& file,
                    const ROCKSDB_NAMESPACE::TableProperties& properties,
                    const LiveSsts& live, const FamilyOptions& options);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXPECTED_FILTER_H_
