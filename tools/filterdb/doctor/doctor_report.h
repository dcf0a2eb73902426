// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: what it says.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_DOCTOR_REPORT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_DOCTOR_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/examine.h"
#include "tools/filterdb/doctor/exports.h"
#include "tools/filterdb/doctor/verdict.h"
#include "tools/filterdb/output.h"

namespace cassandra_bloom::tools {

struct Report {
  std::string db;
  std::vector<Family> families;
  std::vector<Verdict> verdicts;  // Of the families.
  DatabaseFiles files;
  std::vector<Finding> findings;  // Of the files.
  std::string statistics;         // The file, if there is one.
  std::optional<Observed> observed;
  std::vector<ExaminedFolder> exports;

  bool fault() const;
};

void PrintText(const Report& report);

Json ToJson(const Report& report);

// Draws bits per key and false positives by level, by gnuplot, and writes that
// to `path`, as WriteOutput (plugin/sstable/output_file.h). Throws Unusable.
void Plot(const Report& report, const std::string& path, bool overwrite);

// Before the work: throws Unusable if there is no gnuplot.
void RequireGnuplot();

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_DOCTOR_REPORT_H_
