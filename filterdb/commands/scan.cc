// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/commands/what_if.h"
#include "filterdb/health/totals.h"
#include "filterdb/mending/mender.h"

namespace cassandra_bloom::tools {
namespace {

// The value of --what-if if the user gives none. The help shows it in braces.
constexpr char kUsualChances[] = "=CHANCES";

struct ScanArguments {
  ScanPaths scan;
  bool only_faults = false;
  std::string what_if;  // Chances, or "" without the option.
  bool json = false;
};

// ---- The answer ----

Json TotalsToJson(const Totals& totals) {
  return {{"sstables", totals.num_sstables},
          {"faulty", totals.num_faulty},
          {"not_known", totals.num_not_known},
          {"left_out", totals.num_left_out},
          {"not_confirmed", totals.num_not_confirmed},
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

Json FindingsToJson(const Examined& sstable) {
  Json findings = Json::array();
  for (const Finding& finding : sstable.findings) {
    findings.push_back({{"check", NameOf(finding.check)},
                        {"text", finding.text},
                        {"remedy", InfoOf(finding.check).remedy}});
  }
  return findings;
}

// Every SSTable has the same fields. What is not known of it is null.
Json ToJson(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  const FilterFill& fill = examined.fill;
  const bool is_live = sstable.state == SstableState::kLive;
  const bool is_judged = is_live && !examined.is_not_known();
  const bool has_bits = fill.num_probes > 0;
  const bool has_keys = examined.has_keys;
  const auto known = [is_judged](bool is_known, const Json& value) {
    return is_judged && is_known ? value : Json();
  };
  std::string name = sstable.name_prefix;
  name.pop_back();  // Removes the "-" at the end.
  return {
      {"sstable", sstable.Path("Data.db")},
      {"folder", sstable.folder},
      {"name", name},
      {"version", sstable.version},
      {"state", NameOf(sstable.state)},
      {"verdict", is_live ? NameOf(examined.verdict()) : NameOf(sstable.state)},
      {"findings", FindingsToJson(examined)},
      {"fault", examined.has_fault()},
      {"known", !examined.is_not_known()},
      {"filter_bytes", known(examined.has_filter_file, examined.filter_size)},
      {"probes", known(has_bits, fill.num_probes)},
      {"bits", known(has_bits, fill.capacity_bits)},
      {"set_bits", known(has_bits, fill.set_bits)},
      {"fill_ratio", known(has_bits, fill.fill_ratio())},
      {"expected_rate", known(true, fill.rate())},
      {"keys", known(has_keys, examined.num_keys)},
      {"missing_keys", known(has_keys && has_bits, examined.num_missing)},
      {"bits_per_key", known(has_keys && has_bits, examined.bits_per_key())},
      {"planned_fp_chance",
       known(examined.plan.has_value(), examined.plan.value_or(0))},
      {"plan_error", known(!examined.plan, examined.plan_error)},
      {"planned_bytes",
       known(examined.planned_size > 0, examined.planned_size)}};
}

Json ToJson(const Scanned& scanned) {
  Json sstables = Json::array();
  std::vector<std::string> folders;  // In the order in which they were found.
  std::map<std::string, Totals> by_folder;
  Totals sum;
  for (const Examined& sstable : scanned.sstables) {
    const std::string& folder = sstable.sstable.folder;
    if (by_folder.count(folder) == 0) {
      folders.push_back(folder);
    }
    sstables.push_back(ToJson(sstable));
    by_folder[folder].Add(sstable);
    sum.Add(sstable);
  }
  Json tables = Json::array();
  for (const std::string& folder : folders) {
    tables.push_back({{"folder", folder}});
    tables.back().update(TotalsToJson(by_folder[folder]));
  }
  return {{"sstables", sstables},
          {"tables", tables},
          {"total", TotalsToJson(sum)},
          {"tables_to_repair", scanned.tables_to_repair},
          {"left_out_folders", Json(scanned.left_out)},
          {"left_over_files",
           LeftOversIn(std::set(folders.begin(), folders.end()))},
          {"errors", scanned.errors}};
}

// ---- The text ----

std::string AsPlan(const Json& chance) {
  return chance < 1 ? AsPercent(chance) : "none";
}

std::vector<std::string> NotesOf(const Json& sstable) {
  std::vector<std::string> notes;
  for (const Json& finding : sstable["findings"]) {
    std::string note = finding == sstable["findings"][0]
                           ? ""
                           : "also " + finding["check"].get<std::string>();
    for (const char* const part : {"text", "remedy"}) {
      const std::string text = finding[part];
      note += (note.empty() || text.empty() ? "" : "; ") + text;
    }
    notes.push_back(note);
  }
  if (!sstable["plan_error"].is_null()) {
    notes.push_back("plan unknown: " +
                    sstable["plan_error"].get<std::string>());
  }
  notes.erase(std::remove(notes.begin(), notes.end(), ""), notes.end());
  // The folder stands above the table.
  const std::string folder = sstable["folder"].get<std::string>() + "/";
  for (std::string& note : notes) {
    for (size_t at; (at = note.find(folder)) != std::string::npos;) {
      note.erase(at, folder.size());
    }
  }
  return notes;
}

std::vector<Field> FieldsOfSstable() {
  return {{"name", "SSTable"},
          {"version", "version"},
          {"keys", "keys"},
          {"missing_keys", "missing", AsText, true},
          {"probes", "k"},
          {"bits_per_key", "bits/key", AsThreeDigits},
          {"fill_ratio", "fill", AsThreeDigits},
          {"expected_rate", "rate", AsPercent},
          {"planned_fp_chance", "plan", AsPlan},
          {"filter_bytes", "size", AsSize},
          {"planned_bytes", "plan size", AsSize},
          {"verdict", "verdict"}};
}

std::vector<Field> FieldsOfTotal() {
  return {{"sstables", "SSTables"},
          {"faulty", "faulty"},
          {"not_known", "not known", AsText, true},
          {"left_out", "left out", AsText, true},
          {"not_confirmed", "not confirmed", AsText, true},
          {"unread", "unread", AsText, true},
          {"keys", "keys"},
          {"missing_keys", "missing", AsText, true},
          {"filter_bytes", "filters", AsSize},
          {"reads_for_absent_key", "read in vain", AsThreeDigits},
          {"mended_filter_bytes", "mended", AsSize},
          {"mended_reads_for_absent_key", "then in vain", AsThreeDigits},
          {"oversized", "oversized", AsText, true},
          {"oversized_freed_bytes", "would free", AsSize, true},
          {"folder", "table"}};
}

// Returns the rows of each folder's table.
std::map<std::string, Json> RowsByFolder(const Json& sstables,
                                         bool only_faults) {
  std::map<std::string, Json> rows;
  for (const Json& row : sstables) {
    if (!only_faults || row["fault"] || !row["known"] ||
        row["verdict"] == NameOf(Check::kKeysNotConfirmed)) {
      rows[row["folder"]].push_back(row);
    }
  }
  return rows;
}

void PrintTables(const Json& answer, bool only_faults) {
  const auto rows = RowsByFolder(answer["sstables"], only_faults);
  Json totals = Json::array();
  for (const Json& table : answer["tables"]) {
    const auto found = rows.find(table["folder"]);
    if (found != rows.end()) {
      PrintText(AsText(table["folder"]) + "\n" +
                TableText(found->second, FieldsOfSstable(), NotesOf) + "\n");
      totals.push_back(table);
    }
  }
  if (totals.size() != 1 || answer["tables"].size() != 1) {
    totals.push_back(answer["total"]);
    totals.back()["folder"] = "all";
  }
  PrintText(TableText(totals, FieldsOfTotal()));
}

ExitCode RunScan(const ScanArguments& options) {
  std::vector<double> chances;
  if (!options.what_if.empty()) {
    chances = ParseChances(options.what_if == kUsualChances ? "0.001,0.01,0.1"
                                                            : options.what_if);
  }
  const Scanned scanned = Scan(options.scan);
  Json answer = ToJson(scanned);
  if (!chances.empty()) {
    answer["what_if"] = WhatIf(scanned.sstables, chances);
  }
  if (options.json) {
    PrintJson(answer);
  } else {
    // Without an SSTable there is only the error, which is on stderr.
    if (!chances.empty()) {
      PrintText(WhatIfText(answer["what_if"]));
    } else if (!scanned.sstables.empty()) {
      PrintTables(answer, options.only_faults);
    }
    PrintText(LeftOutText(scanned.left_out));
    for (const Json& path : answer["left_over_files"]) {
      PrintText(Printable(path.get<std::string>()) +
                ": left over from a killed mend; the next one removes it\n");
    }
    PrintText(RepairText(answer["tables_to_repair"]));
  }
  // A good filter is one that was asked for every key.
  const Json& total = answer["total"];
  if (total["sstables"] == 0 && total["left_out"] > 0) {
    PrintError(Unusable("no SSTable was looked at, but " +
                        Count(total["left_out"], "SSTable") + " left out"));
  }
  if (!scanned.errors.empty() || total["sstables"] == 0 ||
      total["not_known"] > 0 || total["not_confirmed"] > 0) {
    return kUnusable;
  }
  return total["faulty"] > 0 ? kFault : kGood;
}

}  // namespace

void AddScan(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "scan",
      "Examines the filters of a Cassandra or ScyllaDB data directory, and "
      "says which are wrong and why. Opens nothing for writing; the node may "
      "run");
  auto* const options = NewOptions(command, run, RunScan);
  options->scan.AddTo(command, command)->required();
  command->add_flag(
      "--only-faults", options->only_faults,
      "Show only SSTables with a fault, and those that are not known or whose "
      "keys are not confirmed");
  command->add_flag(
      "--what-if{" + std::string(kUsualChances) + "}", options->what_if,
      "Show the memory of all filters, and how many SSTables a key that is in "
      "none reads in vain: today, and with the chances 0.001, 0.01 and 0.1, or "
      "those of --what-if=CHANCE,...");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
