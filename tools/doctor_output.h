// filterdb doctor: what it says.

#ifndef CASSANDRA_BLOOM_TOOLS_DOCTOR_OUTPUT_H_
#define CASSANDRA_BLOOM_TOOLS_DOCTOR_OUTPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/doctor_examine.h"
#include "tools/doctor_exports.h"
#include "tools/doctor_verdict.h"
#include "tools/output.h"

namespace cassandra_bloom::tools {

struct Report {
  std::string db;
  std::vector<Family> families;
  std::vector<Verdict> verdicts;  // Of the families.
  DatabaseFiles files;
  std::vector<Finding> findings;  // Of the files.
  std::string statistics;         // The file, if there is one.
  std::optional<Observed> observed;
  std::vector<ExportFolder> exports;

  bool fault() const;
};

void PrintText(const Report& report);

Json ToJson(const Report& report);

// Draws bits per key and false positives by level, by gnuplot, and writes that
// to `path`, as WriteOutput (plugin/core/output_file.h). Throws Unusable.
void Plot(const Report& report, const std::string& path, bool overwrite);

// Before the work: throws Unusable if there is no gnuplot.
void RequireGnuplot();

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_DOCTOR_OUTPUT_H_
