// SPDX-License-Identifier: Apache-2.0

// What the filters of levels cost, and what they would cost if files were
// written anew: with the policy in use, and with the policy `mix`. The policies
// are asked to build filters.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/examine.h"

namespace cassandra_bloom::tools {

// Returns what RocksDB uses to build the filter of a file. Returns null if the
// policy gives the file no filter. RocksDB must have told the policy the
// options of the column family (ValidateOptions), as LoadOptions does for the
// policy of the OPTIONS file.
std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family, int level,
    bool is_bottommost);

// Returns what the filters of the column family cost. Judge must come before.
//   levels: the sums of each level that has files.
//   all: the sums of all levels, or null if no file was examined.
//   bytes_to_build: what the filter of the largest file adds to the memory
//     while the file is written. May be null.
//   mix: the filters that `mix` would give with as many bits per key. May be
//     null.
//   notes: sentences.
Json CostsOf(const ExaminedFamily& family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
