// SPDX-License-Identifier: Apache-2.0

// What other filter policies would give the files of a column family, if each
// file were written anew into the level that it is in. The policies build
// filters, which are then asked: nothing is computed.
//
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_SETTINGS_TABLE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_SETTINGS_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/sst_filters/costs.h"
#include "tools/sst_filters/judge.h"

namespace cassandra_bloom::tools {

struct Setting {
  std::string policy;
  double filter_bytes = 0;
  double bits_per_key = 0;
  std::optional<ReadsInVain> reads_in_vain;  // Not set if it is not known.
  // What the filter of the largest file adds to the memory while it is written.
  std::optional<double> bytes_to_build;
};

struct SettingsTable {
  std::vector<Setting> rows;  // Empty if nothing can be said.
  std::optional<Setting> now;
  std::vector<std::string> notes;
};

// `absent_share` is that of look-ups that found no key, if LOG says it. Shows
// its progress.
SettingsTable TableOfSettings(const JudgedFamily& family, const Costs& now,
                              std::optional<double> absent_share);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_SETTINGS_TABLE_H_
