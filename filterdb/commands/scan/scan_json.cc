// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/scan/scan_test.cc.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "filterdb/commands/scan/scan_report.h"
#include "filterdb/health/totals.h"

namespace cassandra_bloom::tools {
namespace {

Json TotalsToJson(const Totals& totals) {
  return {{"sstables", totals.num_sstables},
          {"faulty", totals.num_faulty},
          {"left_out", totals.num_left_out},
          {"unread", totals.num_unread},
          {"keys", totals.num_keys},
          {"missing_keys", totals.num_missing},
          {"filter_bytes", totals.filter_bytes},
          {"reads_for_absent_key", totals.reads},
          {"mended_filter_bytes", totals.mended_filter_bytes},
          {"mended_reads_for_absent_key", totals.mended_reads},
          {"oversized", totals.num_oversized},
          {"oversized_freed_bytes", totals.freed_bytes}};
}

void AddFilter(const FilterFinding& finding, Json* json) {
  (*json)["probes"] = finding.fill.num_probes;
  (*json)["bits"] = finding.fill.capacity_bits;
  (*json)["set_bits"] = finding.fill.set_bits;
  (*json)["fill_ratio"] = finding.fill.fill_ratio();
  if (finding.has_keys) {
    (*json)["bits_per_key"] = finding.bits_per_key();
  }
}

void AddKeys(const FilterFinding& finding, Json* json) {
  (*json)["keys"] = finding.num_keys;
  (*json)["missing_keys"] = finding.num_missing;
  if (finding.num_wrong_hashes > 0) {
    (*json)["wrong_index_hashes"] = finding.num_wrong_hashes;
  }
}

void AddPlan(const FilterFinding& finding, Json* json) {
  if (!finding.plan) {
    (*json)["plan_error"] = finding.plan_error;
    return;
  }
  (*json)["planned_fp_chance"] = *finding.plan;
  if (finding.planned_size > 0) {
    (*json)["planned_bytes"] = finding.planned_size;
  }
}

void AddVerdicts(const FilterFinding& finding, Json* json) {
  Json all = Json::array();
  for (const FilterVerdict verdict : finding.verdicts) {
    all.push_back(NameOf(verdict));
  }
  (*json)["verdict"] = NameOf(finding.verdict());
  (*json)["verdicts"] = all;
  if (!finding.written_as.empty()) {
    (*json)["written_as"] = finding.written_as;
  }
  if (!finding.errors.empty()) {
    (*json)["errors"] = finding.errors;
  }
}

Json FindingToJson(const FilterFinding& finding) {
  Json json = {{"sstable", finding.sstable.Path("Data.db")},
               {"version", finding.sstable.version},
               {"state", NameOf(finding.sstable.state)}};
  if (finding.sstable.state == SstableState::kLive) {
    if (finding.has_filter_file) {
      json["filter_bytes"] = finding.filter_size;
    }
    if (finding.fill.num_probes > 0) {
      AddFilter(finding, &json);
    }
    json["expected_rate"] = finding.fill.rate();
    if (finding.has_keys) {
      AddKeys(finding, &json);
    }
    AddPlan(finding, &json);
    AddVerdicts(finding, &json);
  }
  json["fault"] = finding.is_fault();
  return json;
}

}  // namespace

Json FindingsToJson(const std::vector<FilterFinding>& findings,
                    const std::vector<std::string>& errors) {
  Json sstables = Json::array();
  std::map<std::string, Totals> by_folder;
  Totals sum;
  for (const FilterFinding& finding : findings) {
    sstables.push_back(FindingToJson(finding));
    by_folder[finding.sstable.folder].Add(finding);
    sum.Add(finding);
  }
  Json tables = Json::array();
  for (const auto& [folder, totals] : by_folder) {
    Json table = {{"folder", folder}};
    table.update(TotalsToJson(totals));
    tables.push_back(table);
  }
  return {{"sstables", sstables},
          {"tables", tables},
          {"total", TotalsToJson(sum)},
          {"warnings", WarningsOf(findings)},
          {"errors", errors}};
}

}  // namespace cassandra_bloom::tools
