// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/scan/scan_test.cc.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/split.h"

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

// ---- One SSTable ----

// Every SSTable has the same fields. What is not known of it is null.
Json ToJson(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  const FilterFill& fill = examined.fill;
  const bool is_live = sstable.state == SstableState::kLive;
  const bool has_bits = fill.num_probes > 0;
  const bool has_keys = examined.has_keys;
  const auto known = [&](bool is_known, const Json& value) {
    return examined.is_judged && is_known ? value : Json();
  };
  Json findings = Json::array();
  for (const Finding& finding : examined.findings) {
    findings.push_back({{"check", NameOf(finding.check)},
                        {"harm", NameOf(finding.harm)},
                        {"text", finding.text},
                        {"remedy", finding.remedy}});
  }
  return {
      {"sstable", sstable.Path("Data.db")},
      {"folder", sstable.folder},
      {"name", sstable.name_prefix.substr(0, sstable.name_prefix.size() - 1)},
      {"version", sstable.version},
      {"state", NameOf(sstable.state)},
      {"in_use", sstable.is_in_use},
      {"verdict", is_live ? NameOf(examined.verdict()) : NameOf(sstable.state)},
      {"harm", NameOf(examined.worst())},
      {"incomplete", examined.harms().has(Harm::kNotKnown)},
      {"findings", findings},
      {"filter_bytes", known(examined.has_filter_file, examined.filter_size)},
      {"probes", known(has_bits, fill.num_probes)},
      {"bits", known(has_bits, fill.capacity_bits)},
      {"set_bits", known(has_bits, fill.set_bits)},
      {"fill_ratio", known(has_bits, fill.fill_ratio())},
      {"expected_rate", known(true, fill.rate())},
      {"keys", known(has_keys, examined.num_keys)},
      {"missing_keys", known(has_keys && has_bits, examined.num_missing)},
      {"bits_per_key",
       known(has_keys && has_bits, static_cast<double>(fill.capacity_bits) /
                                       static_cast<double>(examined.num_keys))},
      {"planned_fp_chance",
       known(examined.plan.has_value(), examined.plan.value_or(0))},
      {"plan_error", known(!examined.plan, examined.plan_error)},
      {"planned_bytes",
       known(examined.planned_size > 0, examined.planned_size)}};
}

std::string AsPlan(const Json& chance) {
  return chance < 1 ? AsPercent(chance) : "none";
}

// The columns have fixed widths, because a line is printed when its SSTable is
// examined.
std::vector<Field> Columns() {
  constexpr bool kIsRare = false;
  return {{"version", "version", AsText, kIsRare, 7},
          {"keys", "keys", AsText, kIsRare, 10},
          {"missing_keys", "missing", AsText, kIsRare, 7},
          {"probes", "k", AsText, kIsRare, 2},
          {"bits_per_key", "bits/key", AsThreeDigits, kIsRare, 8},
          {"fill_ratio", "fill", AsThreeDigits, kIsRare, 6},
          {"expected_rate", "rate", AsPercent, kIsRare, 9},
          {"planned_fp_chance", "plan", AsPlan, kIsRare, 6},
          {"filter_bytes", "size", AsSize, kIsRare, 7},
          {"planned_bytes", "plan size", AsSize, kIsRare, 9},
          {"line", "SSTable"}};
}

// Returns the lines below that of the SSTable: what is known of each finding.
std::string NotesOf(const Examined& examined) {
  const std::string folder = examined.sstable.folder + "/";
  std::string text;
  const auto add = [&](std::string note) {
    // The folder stands above the table.
    for (size_t at; (at = note.find(folder)) != std::string::npos;) {
      note.erase(at, folder.size());
    }
    text += "      " + Printable(note) + "\n";
  };
  for (const Finding& finding : examined.findings) {
    std::string note = NameOf(finding.check);
    if (finding.harm != Harm::kNone) {
      note += std::string(" (") + NameOf(finding.harm) +
              (examined.sstable.is_in_use ? "" : " when it is loaded") + ")";
    }
    for (const std::string& part : {finding.text, finding.remedy}) {
      note += part.empty() ? "" : "; " + part;
    }
    add(note);
  }
  if (examined.is_judged && !examined.plan && !examined.plan_error.empty()) {
    add("plan unknown: " + examined.plan_error);
  }
  return text;
}

// Returns the lines of the SSTable, behind a head if its folder is not
// `*folder`, that of the last one.
std::string TextOf(const Json& json, const Examined& examined,
                   std::string* folder) {
  std::string head;
  if (*folder != examined.sstable.folder) {
    head = (folder->empty() ? "" : "\n") + Printable(examined.sstable.folder) +
           "\n" + TitleLine(Columns());
    *folder = examined.sstable.folder;
  }
  Json row = json;
  row["line"] =
      row["name"].get<std::string>() + ": " + row["verdict"].get<std::string>();
  return head + RowLine(Columns(), row) + NotesOf(examined);
}

// ---- Sums ----

// What a filter costs: its memory, and how many SSTables are read, on average,
// for a key that no SSTable has.
Json CostOf(uint64_t num_bytes, double rate) {
  return {{"filter_bytes", num_bytes}, {"reads_for_absent_key", rate}};
}

constexpr char kToday[] = "today";

// `chance` is one of --what-if, or kToday.
Json CostWith(const std::string& chance, const Examined& examined) {
  if (chance == kToday || !examined.has_keys) {
    return CostOf(examined.filter_size,
                  examined.is_judged ? examined.fill.rate() : 0);
  }
  const Sizing sizing = *SizingForFpChance(std::stod(chance));
  const uint64_t size = sizing.FilterSize(examined.num_keys);
  return CostOf(size, sizing.ExpectedRate(examined.num_keys, size));
}

// The fields of the sums. AddendsOf has what an SSTable adds to each.
std::vector<Field> SumFields() {
  constexpr bool kIsRare = true;
  return {{"sstables", "SSTables"},
          {"refused", "refused", AsText, kIsRare},
          {"hides_rows", "hide rows", AsText, kIsRare},
          {"sstable_damaged", "damaged", AsText, kIsRare},
          {"wastes_reads", "waste reads", AsText, kIsRare},
          {"wastes_memory", "waste memory", AsText, kIsRare},
          {"not_known", "not known", AsText, kIsRare},
          {"left_out", "left out", AsText, kIsRare},
          {"keys", "keys"},
          {"missing_keys", "missing", AsText, kIsRare},
          {"filter_bytes", "filters", AsSize},
          {"reads_for_absent_key", "read in vain", AsThreeDigits},
          {"mended_filter_bytes", "mended", AsSize},
          {"mended_reads_for_absent_key", "then in vain", AsThreeDigits},
          {"oversized_freed_bytes", "would free", AsSize, kIsRare}};
}

// `chances` are those of --what-if, and kToday.
Json AddendsOf(const Examined& examined,
               const std::vector<std::string>& chances) {
  const auto has = [&](Harm harm) {
    return examined.harms().has(harm) ? 1U : 0U;
  };
  const unsigned is_live = examined.sstable.state == SstableState::kLive;
  const Action action = examined.action();
  const Json now = CostWith(kToday, examined);
  const Json mended = action == Action::kMend
                          ? CostOf(examined.planned_size, examined.planned_rate)
                          : now;
  const bool is_only_oversized =
      examined.has(Check::kOversized) && action < Action::kMend;
  Json addends = {
      {"sstables", is_live},
      {"refused", has(Harm::kRefused)},
      {"hides_rows", has(Harm::kHidesRows)},
      {"sstable_damaged", has(Harm::kDamaged)},
      {"wastes_reads", has(Harm::kWastesReads)},
      {"wastes_memory", has(Harm::kWastesMemory)},
      {"not_known", has(Harm::kNotKnown)},
      // Being written, obsolete or vanished. These are in no other sum.
      {"left_out", 1 - is_live},
      {"keys", examined.has_keys ? examined.num_keys : 0},
      {"missing_keys", examined.num_missing},
      {"filter_bytes", now["filter_bytes"]},
      {"reads_for_absent_key", now["reads_for_absent_key"]},
      {"mended_filter_bytes", mended["filter_bytes"]},
      {"mended_reads_for_absent_key", mended["reads_for_absent_key"]},
      // What only `mend --oversized` frees.
      {"oversized_freed_bytes",
       is_only_oversized ? examined.filter_size - examined.planned_size : 0}};
  for (const std::string& chance : chances) {
    addends["what_if"][chance] = CostWith(chance, examined);
  }
  return addends;
}

// Adds each number to that of the same name.
void AddTo(Json* sum, const Json& addend) {
  if (addend.is_object()) {
    for (const auto& [name, value] : addend.items()) {
      AddTo(&(*sum)[name], value);
    }
  } else if (sum->is_null()) {
    *sum = addend;
  } else {
    *sum = addend.is_number_float()
               ? Json(sum->get<double>() + addend.get<double>())
               : Json(sum->get<uint64_t>() + addend.get<uint64_t>());
  }
}

Json NoSums() {
  Json sums;
  for (const Field& field : SumFields()) {
    sums[field.name] = field.format == AsThreeDigits ? Json(0.0) : Json(0U);
  }
  return sums;
}

// `rows` are the sums of folders, each with its "folder".
std::string SumsText(const Json& rows) {
  std::vector<Field> fields = SumFields();
  fields.push_back({"folder", "table"});
  return TableText(rows, fields);
}

std::string WhatIfText(const Json& rows) {
  Json costs = Json::array();
  for (const Json& row : rows) {
    for (const auto& [chance, cost] : row["what_if"].items()) {
      costs.push_back(cost);
      costs.back()["chance"] = chance;
      costs.back()["folder"] = row["folder"];
    }
  }
  return TableText(costs,
                   {{"chance", "chance"},
                    {"filter_bytes", "filters", AsSize},
                    {"reads_for_absent_key", "read in vain", AsThreeDigits},
                    {"folder", "table"}});
}

// Reads chances such as "0.001,0.01".
std::vector<std::string> ParseChances(const std::string& text) {
  std::vector<std::string> chances = {kToday};
  for (const std::string_view part : Split(text, ',')) {
    std::string& chance = chances.emplace_back(part);
    const std::string fault = IsFpChance()(chance);
    if (!fault.empty()) {
      throw WrongUsage("--what-if=" + text + ": " + fault);
    }
  }
  return chances;
}

ExitCode RunScan(const ScanArguments& options) {
  std::vector<std::string> chances;
  if (!options.what_if.empty()) {
    chances = ParseChances(options.what_if == kUsualChances ? "0.001,0.01,0.1"
                                                            : options.what_if);
  }
  std::map<std::string, Json> sums;  // By the folder.
  Json all = NoSums();
  Tables tables;
  std::string folder;  // Of the last SSTable that was printed.
  Report report(options.json, options.scan.paths);
  const auto print = [&](const Examined& examined) {
    report.Add(examined.harms());
    const Json addends = AddendsOf(examined, chances);
    AddTo(&sums[examined.sstable.folder], addends);
    AddTo(&all, addends);
    AddTo(&tables, examined);
    const bool is_shown = chances.empty() && (!options.only_faults ||
                                              examined.worst() != Harm::kNone);
    const Json json = ToJson(examined);
    report.Print(json, is_shown ? TextOf(json, examined, &folder) : "");
  };
  ExaminePaths(options.scan, &report, /*work=*/nullptr, print);
  Json json = all;
  json["tables"] = Json::array();
  Json shown = Json::array();
  for (const auto& [path, sum] : sums) {
    Json row = {{"folder", path}};
    row.update(sum);
    json["tables"].push_back(row);
    if (!options.only_faults || tables.at(path).harms.worst() != Harm::kNone) {
      shown.push_back(row);
    }
  }
  if (sums.size() != 1 || shown.empty()) {
    all["folder"] = "all";
    shown.push_back(all);
  }
  json["tables_to_repair"] = RepairJson(tables);
  const std::string text =
      sums.empty()
          ? "no SSTable found\n"
          : (folder.empty() ? "" : "\n") +
                (chances.empty() ? SumsText(shown) : WhatIfText(shown));
  return report.Finish(json, text, AdviceText(tables));
}

}  // namespace

void AddScan(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "scan",
      "Examines the filters of a Cassandra or ScyllaDB data directory, and "
      "says which are wrong, what harm that does, and what to do. Opens "
      "nothing for writing; the node may run");
  command->footer(
      "Example: filterdb scan /var/lib/cassandra/data --only-faults");
  auto* const options = NewOptions(command, run, RunScan);
  options->scan.AddTo(command);
  command->add_flag("--only-faults", options->only_faults,
                    "Show only SSTables that do harm or are not known");
  command->add_flag(
      "--what-if{" + std::string(kUsualChances) + "}", options->what_if,
      "Show the memory of all filters, and how many SSTables a key that is in "
      "none reads in vain: today, and with the chances 0.001, 0.01 and 0.1, or "
      "those of --what-if=CHANCE,...");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
