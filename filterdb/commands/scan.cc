// SPDX-License-Identifier: Apache-2.0

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

ExitCode RunScan(const ScanArguments& options) {
  std::vector<double> chances;
  if (!options.what_if.empty()) {
    chances = ParseChances(options.what_if == kUsualChances ? "0.001,0.01,0.1"
                                                            : options.what_if);
  }
  Sums sums(chances);
  std::string folder;  // Of the last SSTable that was printed.
  const Scanned scanned =
      Scan(options.scan, options.json, nullptr, [&](const Examined& examined) {
        sums.Add(examined);
        if (options.json) {
          PrintJsonLine(ToJson(examined));
        } else if (chances.empty() &&
                   (!options.only_faults || examined.worst() != Harm::kNone)) {
          PrintSstable(ToJson(examined), &folder);
        }
      });
  Harms harms = sums.all().harms;
  harms.Add(scanned.harm());
  const auto exit_code = static_cast<ExitCode>(harms.exit_status());
  if (options.json) {
    Json summary = {{"exit_status", exit_code},
                    {"harm", NameOf(harms.worst())},
                    {"incomplete", harms.has(Harm::kNotKnown)}};
    summary.update(sums.ToJson());
    summary["tables_to_repair"] = RepairJson(sums.harms());
    summary["left_out_folders"] = scanned.left_out;
    summary["errors"] = scanned.num_errors;
    PrintJsonLine({{"summary", summary}});
    return exit_code;
  }
  if (sums.all().num_sstables + sums.all().num_left_out == 0) {
    PrintText("no SSTable found\n");
  } else {
    PrintText((!folder.empty() ? "\n" : "") + sums.Text());
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
