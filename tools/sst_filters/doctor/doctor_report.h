// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DOCTOR_REPORT_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DOCTOR_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/doctor/diagnose.h"
#include "tools/sst_filters/doctor/examine.h"

namespace cassandra_bloom::tools {

struct Report {
  std::string db;
  std::vector<FamilyReport> families;
  std::vector<std::string> left_out;  // Column families that were not examined.
  DatabaseFiles files;
  std::vector<Diagnosis> diagnoses;  // About `files`.
  std::string statistics;            // Path of the statistics file, or empty.
  std::optional<Observed> observed;

  bool fault() const;
};

void PrintText(const Report& report);

Json ToJson(const Report& report);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DOCTOR_REPORT_H_
