// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/commands/sums.h"

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

std::string NameOfSstable(const Sstable& sstable) {
  return sstable.name_prefix.substr(0, sstable.name_prefix.size() - 1);
}

// ---- JSON ----

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
      {"name", NameOfSstable(sstable)},
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

// ---- Text ----

// A line of the table. Its columns have fixed widths, because a line is printed
// when its SSTable is examined.
struct Cell {
  std::string text;
  int width;
};

std::string LineOf(const std::vector<Cell>& cells) {
  std::string line;
  for (const Cell& cell : cells) {
    const auto width = static_cast<size_t>(cell.width);
    line += "  ";
    line.append(width - std::min(width, cell.text.size()), ' ');
    line += cell.text;
  }
  return line;
}

std::string HeadLine() {
  return LineOf({{"version", 7},
                 {"keys", 10},
                 {"missing", 7},
                 {"k", 2},
                 {"bits/key", 8},
                 {"fill", 6},
                 {"rate", 9},
                 {"plan", 6},
                 {"size", 7},
                 {"plan size", 9}}) +
         "  SSTable\n";
}

std::string TextOf(const Examined& examined) {
  const bool is_judged =
      examined.is_judged && examined.sstable.state == SstableState::kLive;
  const auto cell = [](bool is_known, const std::string& text) {
    return is_known ? text : "-";
  };
  const FilterFill& fill = examined.fill;
  const bool has_bits = fill.num_probes > 0;
  const bool has_keys = examined.has_keys;
  const double plan = examined.plan.value_or(0);
  return LineOf(
             {{examined.sstable.version, 7},
              {cell(has_keys, std::to_string(examined.num_keys)), 10},
              {cell(has_keys && has_bits, std::to_string(examined.num_missing)),
               7},
              {cell(has_bits, std::to_string(fill.num_probes)), 2},
              {cell(has_keys && has_bits, ThreeDigits(examined.bits_per_key())),
               8},
              {cell(has_bits, ThreeDigits(fill.fill_ratio())), 6},
              {cell(is_judged, AsPercent(fill.rate())), 9},
              {cell(examined.plan.has_value(),
                    plan < 1 ? AsPercent(plan) : "none"),
               6},
              {cell(examined.has_filter_file, AsSize(examined.filter_size)), 7},
              {cell(examined.planned_size > 0, AsSize(examined.planned_size)),
               9}}) +
         "  " + Printable(NameOfSstable(examined.sstable)) + ": " +
         (examined.sstable.state == SstableState::kLive
              ? NameOf(examined.verdict())
              : NameOf(examined.sstable.state));
}

// Returns the lines below that of the SSTable: what is known of each finding.
std::string NotesOf(const Examined& examined) {
  std::string notes;
  const auto add = [&](std::string note) {
    // The folder stands above the table.
    const std::string folder = examined.sstable.folder + "/";
    for (size_t at; (at = note.find(folder)) != std::string::npos;) {
      note.erase(at, folder.size());
    }
    notes += "      " + Printable(note) + "\n";
  };
  for (const Finding& finding : examined.findings) {
    std::string note = NameOf(finding.check);
    if (finding.harm != Harm::kNone) {
      note += std::string(" (") + NameOf(finding.harm) +
              (examined.facts.is_in_use ? "" : " when it is loaded") + ")";
    }
    for (const std::string& part : {finding.text, finding.remedy}) {
      note += part.empty() ? "" : "; " + part;
    }
    add(note);
  }
  if (!examined.plan && !examined.plan_error.empty()) {
    add("plan unknown: " + examined.plan_error);
  }
  return notes;
}

class Printer {
 public:
  explicit Printer(const ScanArguments& options) : options_(options) {}

  void Print(const Examined& examined) {
    if (options_.json) {
      PrintJsonLine(ToJson(examined));
      return;
    }
    if (!options_.what_if.empty() ||
        (options_.only_faults && examined.worst() == Harm::kNone)) {
      return;
    }
    if (folder_ != examined.sstable.folder) {
      PrintText((folder_.empty() ? "" : "\n") +
                Printable(examined.sstable.folder) + "\n" + HeadLine());
      folder_ = examined.sstable.folder;
    }
    PrintText(TextOf(examined) + "\n" + NotesOf(examined));
    has_printed_ = true;
  }

  bool has_printed() const { return has_printed_; }

 private:
  const ScanArguments& options_;
  std::string folder_;
  bool has_printed_ = false;
};

ExitCode RunScan(const ScanArguments& options) {
  std::vector<double> chances;
  if (!options.what_if.empty()) {
    chances = ParseChances(options.what_if == kUsualChances ? "0.001,0.01,0.1"
                                                            : options.what_if);
  }
  Sums sums(chances);
  Printer printer(options);
  const Scanned scanned =
      Scan(options.scan, options.json, nullptr, [&](const Examined& examined) {
        sums.Add(examined);
        printer.Print(examined);
      });
  Harms harms = sums.all().harms;
  if (scanned.num_errors > 0) {
    harms.Add(Harm::kNotKnown);
  }
  const auto exit_code = static_cast<ExitCode>(harms.exit_status());
  if (options.json) {
    Json summary = {{"exit_status", exit_code},
                    {"harm", NameOf(harms.worst())},
                    {"incomplete", harms.has(Harm::kNotKnown)}};
    summary.update(sums.ToJson());
    summary["tables_to_repair"] = RepairJson(sums.harms());
    summary["left_out_folders"] = scanned.left_out;
    summary["errors"] = scanned.num_errors;
    if (!chances.empty()) {
      summary["what_if"] = sums.WhatIfJson();
    }
    PrintJsonLine({{"summary", summary}});
    return exit_code;
  }
  if (sums.all().num_sstables + sums.all().num_left_out == 0) {
    PrintText("no SSTable found\n");
  } else {
    PrintText((printer.has_printed() ? "\n" : "") +
              (chances.empty() ? sums.Text() : sums.WhatIfText()));
  }
  PrintText(LeftOutText(scanned.left_out) + AdviceText(sums.harms()));
  return exit_code;
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
