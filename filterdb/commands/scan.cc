// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/scan/scan_test.cc.

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/health/totals.h"
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

Json FindingsToJson(const Examined& sstable) {
  Json findings = Json::array();
  for (const Finding& finding : sstable.findings) {
    findings.push_back({{"check", NameOf(finding.check)},
                        {"harm", NameOf(finding.harm)},
                        {"text", finding.text},
                        {"remedy", finding.remedy}});
  }
  return findings;
}

// Every SSTable has the same fields. What is not known of it is null.
Json ToJson(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  const FilterFill& fill = examined.fill;
  const bool is_live = sstable.state == SstableState::kLive;
  const bool has_bits = fill.num_probes > 0;
  const bool has_keys = examined.has_keys;
  const auto known = [&](bool is_known, const Json& value) {
    return is_live && examined.is_judged && is_known ? value : Json();
  };
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
      {"findings", FindingsToJson(examined)},
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
std::string NotesOf(const Json& one) {
  std::vector<std::string> notes;
  for (const Json& finding : one["findings"]) {
    std::string note = finding["check"];
    if (finding["harm"] != NameOf(Harm::kNone)) {
      note += " (" + finding["harm"].get<std::string>() +
              (one["in_use"] ? "" : " when it is loaded") + ")";
    }
    for (const std::string part : {finding["text"], finding["remedy"]}) {
      note += part.empty() ? "" : "; " + part;
    }
    notes.push_back(note);
  }
  if (one["plan_error"].is_string() && one["plan_error"] != "") {
    notes.push_back("plan unknown: " + one["plan_error"].get<std::string>());
  }
  std::string text;
  for (std::string& note : notes) {
    // The folder stands above the table.
    const std::string folder = one["folder"].get<std::string>() + "/";
    for (size_t at; (at = note.find(folder)) != std::string::npos;) {
      note.erase(at, folder.size());
    }
    text += "      " + Printable(note) + "\n";
  }
  return text;
}

// Prints the SSTable, behind a head if it is the first of its folder.
void PrintSstable(Json one, std::string* folder) {
  if (*folder != one["folder"]) {
    PrintText((folder->empty() ? "" : "\n") + AsText(one["folder"]) + "\n" +
              TitleLine(Columns()));
    *folder = one["folder"];
  }
  one["line"] =
      one["name"].get<std::string>() + ": " + one["verdict"].get<std::string>();
  PrintText(RowLine(Columns(), one) + NotesOf(one));
}

// ---- Sums ----

struct Sum {
  Field field;
  Json value;
};

std::vector<Sum> SumsOf(const Totals& totals) {
  constexpr bool kIsRare = true;
  const auto harm = [&](const char* name, const char* title, Harm of) {
    return Sum{{name, title, AsText, kIsRare}, totals.num_with(of)};
  };
  return {{{"sstables", "SSTables"}, totals.num_sstables},
          harm("refused", "refused", Harm::kRefused),
          harm("hides_rows", "hide rows", Harm::kHidesRows),
          harm("sstable_damaged", "damaged", Harm::kDamaged),
          harm("wastes_reads", "waste reads", Harm::kWastesReads),
          harm("wastes_memory", "waste memory", Harm::kWastesMemory),
          harm("not_known", "not known", Harm::kNotKnown),
          {{"left_out", "left out", AsText, kIsRare}, totals.num_left_out},
          {{"keys", "keys"}, totals.num_keys},
          {{"missing_keys", "missing", AsText, kIsRare}, totals.num_missing},
          {{"filter_bytes", "filters", AsSize}, totals.now.bytes},
          {{"reads_for_absent_key", "read in vain", AsThreeDigits},
           totals.now.reads},
          {{"mended_filter_bytes", "mended", AsSize}, totals.mended.bytes},
          {{"mended_reads_for_absent_key", "then in vain", AsThreeDigits},
           totals.mended.reads},
          {{"oversized_freed_bytes", "would free", AsSize, kIsRare},
           totals.freed_bytes}};
}

Json TotalsToJson(const Totals& totals) {
  Json json;
  for (const Sum& sum : SumsOf(totals)) {
    json[sum.field.name] = sum.value;
  }
  return json;
}

Json CostToJson(const Json& chance, const FilterCost& cost) {
  return {{"fp_chance", chance},
          {"filter_bytes", cost.bytes},
          {"reads_for_absent_key", cost.reads}};
}

// Of each folder of SSTables.
class Sums {
 public:
  // `chances` are those of --what-if.
  explicit Sums(std::vector<double> chances) : chances_(std::move(chances)) {}

  void Add(const Examined& examined);

  const Totals& all() const { return all_; }
  // Those of folders that a node reads.
  const TableHarms& harms() const { return harms_; }

  // With the list `tables` and, if there are chances, the list `what_if`.
  Json ToJson() const;
  // If there are chances, a table for each folder with what they would cost.
  std::string Text() const;

 private:
  Json WhatIf() const;

  const std::vector<double> chances_;
  std::map<std::string, Totals> folders_;
  TableHarms harms_;
  Totals all_;
};

void Sums::Add(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  folders_[sstable.folder].Add(examined, chances_);
  all_.Add(examined, chances_);
  if (!sstable.is_in_use) {
    return;
  }
  TableHarm& table = harms_[sstable.folder];
  table.harms.Add(examined.harms());
  table.is_of_scylla |= examined.reader == Reader::kScylla;
  table.is_mendable |= examined.action() == Action::kMend ||
                       examined.action() == Action::kCompleteToc;
  if (!examined.stamps.empty()) {
    table.num_data_bytes +=
        static_cast<uint64_t>(std::get<1>(examined.stamps.front()));
  }
}

Json Sums::ToJson() const {
  Json json = TotalsToJson(all_);
  Json& tables = json["tables"] = Json::array();
  for (const auto& [folder, totals] : folders_) {
    tables.push_back({{"folder", folder}});
    tables.back().update(TotalsToJson(totals));
  }
  if (!chances_.empty()) {
    json["what_if"] = WhatIf();
  }
  return json;
}

// The table with the largest filters comes first.
Json Sums::WhatIf() const {
  Json tables = Json::array();
  const auto add = [&](const std::string& folder, const Totals& totals) {
    Json with = Json::array({CostToJson("today", totals.now)});
    for (size_t i = 0; i < totals.with_chances.size(); ++i) {
      with.push_back(CostToJson(chances_[i], totals.with_chances[i]));
    }
    tables.push_back({{"folder", folder},
                      {"sstables", totals.num_sstables},
                      {"with", with}});
  };
  std::multimap<uint64_t, std::string, std::greater<>> by_size;
  for (const auto& [folder, totals] : folders_) {
    if (totals.num_sstables > 0) {
      by_size.emplace(totals.now.bytes, folder);
    }
  }
  for (const auto& [size, folder] : by_size) {
    add(folder, folders_.at(folder));
  }
  if (by_size.size() != 1) {
    add("all", all_);
  }
  return tables;
}

std::string Sums::Text() const {
  Json all = ToJson();
  std::string text;
  for (const Json& table : all.value("what_if", Json::array())) {
    text +=
        AsText(table["folder"]) + ", " + Count(table["sstables"], "SSTable") +
        "\n" +
        TableText(table["with"],
                  {{"fp_chance", "chance"},
                   {"filter_bytes", "filters", AsSize},
                   {"reads_for_absent_key", "read in vain", AsThreeDigits}}) +
        "\n";
  }
  if (!chances_.empty()) {
    return text;
  }
  Json rows = all["tables"];
  if (rows.size() != 1) {
    all["folder"] = "all";
    rows.push_back(all);
  }
  std::vector<Field> fields;
  for (const Sum& sum : SumsOf(all_)) {
    fields.push_back(sum.field);
  }
  fields.push_back({"folder", "table"});
  return TableText(rows, fields);
}

// Reads chances such as "0.001,0.01".
std::vector<double> ParseChances(const std::string& text) {
  std::vector<double> chances;
  for (const std::string_view part : Split(text, ',')) {
    std::string chance(part);
    const std::string fault = IsFpChance()(chance);
    if (!fault.empty()) {
      throw WrongUsage("--what-if=" + text + ": " + fault);
    }
    chances.push_back(std::stod(chance));
  }
  return chances;
}

ExitCode RunScan(const ScanArguments& options) {
  std::vector<double> chances;
  if (!options.what_if.empty()) {
    chances = ParseChances(options.what_if == kUsualChances ? "0.001,0.01,0.1"
                                                            : options.what_if);
  }
  Sums sums(chances);
  std::string folder;  // Of the last SSTable that was printed.
  PathFinder finder(options.scan.paths, options.json);
  const auto print = [&](const Examined& examined) {
    sums.Add(examined);
    if (options.json) {
      PrintJsonLine(ToJson(examined));
    } else if (chances.empty() &&
               (!options.only_faults || examined.worst() != Harm::kNone)) {
      PrintSstable(ToJson(examined), &folder);
    }
  };
  ExaminePaths(options.scan, &finder, /*work=*/nullptr, print);
  Harms harms = sums.all().harms;
  harms.Add(finder.harm());
  Json json = sums.ToJson();
  json["tables_to_repair"] = RepairJson(sums.harms());
  json.update(finder.ToJson());
  const std::string table =
      sums.all().num_sstables + sums.all().num_left_out == 0
          ? "no SSTable found\n"
          : (folder.empty() ? "" : "\n") + sums.Text();
  return Finish(harms, options.json, json,
                table + finder.Text() + AdviceText(sums.harms()));
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
