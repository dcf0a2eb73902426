// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DOCTOR_REPORT_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DOCTOR_REPORT_H_

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/doctor/forecast.h"
#include "tools/sst_filters/doctor/judge.h"

namespace cassandra_bloom::tools {

// Something that is wrong.
struct Problem {
  Use use;  // kNotUsed: a fault. kNotAsked: not known.
  std::string why;
  std::string remedy;  // Empty for what is not known.
  // The SST files by level. Empty if it is about the column family. The deepest
  // level is first, because a compaction of level 0 also takes files of its
  // output level.
  std::map<int, std::vector<std::string>, std::greater<int>> ssts;
};

struct FamilyReport {
  JudgedFamily judged;
  Forecast forecast;
  std::vector<Problem> problems;
  // The files that only lose their filter in iterators.
  std::vector<std::string> ssts_without_seek;
};

struct Report {
  std::string db;
  std::vector<FamilyReport> families;
  std::vector<std::string> left_out;

  // kUnusable if something could not be asked.
  ExitCode exit_code() const;
};

FamilyReport ReportOf(ExaminedFamily family);

void PrintText(const Report& report);
Json ToJson(const Report& report);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DOCTOR_REPORT_H_
