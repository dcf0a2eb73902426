// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/sums.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "filterdb/commands/console.h"
#include "plugin/filter_db/split.h"

namespace cassandra_bloom::tools {
namespace {

constexpr Harm kHarms[] = {Harm::kRefused,      Harm::kHidesRows,
                           Harm::kDamaged,      Harm::kWastesReads,
                           Harm::kWastesMemory, Harm::kNotKnown};

// The name as a field of the JSON, such as "hides_rows".
std::string FieldOf(Harm harm) {
  std::string name = NameOf(harm);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == ' '               ? '_'
           : c == 'S' || c == 'T' ? static_cast<char>(c + 32)
                                  : c;
  });
  return name;
}

Json TotalsToJson(const Totals& totals) {
  Json json = {{"sstables", totals.num_sstables}};
  for (const Harm harm : kHarms) {
    json[FieldOf(harm)] = totals.num_with(harm);
  }
  json.update({{"left_out", totals.num_left_out},
               {"keys", totals.num_keys},
               {"missing_keys", totals.num_missing},
               {"filter_bytes", totals.now.bytes},
               {"reads_for_absent_key", totals.now.reads},
               {"mended_filter_bytes", totals.mended.bytes},
               {"mended_reads_for_absent_key", totals.mended.reads},
               {"oversized_freed_bytes", totals.freed_bytes}});
  return json;
}

std::vector<Field> FieldsOfTotals() {
  return {{"sstables", "SSTables"},
          {"refused", "refused", AsText, true},
          {"hides_rows", "hide rows", AsText, true},
          {"sstable_damaged", "damaged", AsText, true},
          {"wastes_reads", "waste reads", AsText, true},
          {"wastes_memory", "waste memory", AsText, true},
          {"not_known", "not known", AsText, true},
          {"left_out", "left out", AsText, true},
          {"keys", "keys"},
          {"missing_keys", "missing", AsText, true},
          {"filter_bytes", "filters", AsSize},
          {"reads_for_absent_key", "read in vain", AsThreeDigits},
          {"mended_filter_bytes", "mended", AsSize},
          {"mended_reads_for_absent_key", "then in vain", AsThreeDigits},
          {"oversized_freed_bytes", "would free", AsSize, true},
          {"folder", "table"}};
}

Json CostToJson(const Json& chance, const FilterCost& cost) {
  return {{"fp_chance", chance},
          {"filter_bytes", cost.bytes},
          {"reads_for_absent_key", cost.reads}};
}

}  // namespace

void Sums::Add(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  Folder& folder = folders_[sstable.folder];
  folder.totals.Add(examined, chances_);
  all_.Add(examined, chances_);
  folder.is_in_use = sstable.is_in_use;
  folder.harm.folder = sstable.folder;
  folder.harm.harms.Add(examined.harms());
  folder.harm.is_of_scylla |= examined.facts.reader == Reader::kScylla;
  folder.harm.is_mendable |= examined.action() == Action::kMend ||
                             examined.action() == Action::kCompleteToc;
  if (!examined.stamps.empty()) {
    folder.harm.num_data_bytes +=
        static_cast<uint64_t>(std::get<1>(examined.stamps.front()));
  }
}

std::vector<TableHarm> Sums::harms() const {
  std::vector<TableHarm> harms;
  for (const auto& [path, folder] : folders_) {
    if (folder.is_in_use) {
      harms.push_back(folder.harm);
    }
  }
  return harms;
}

Json Sums::ToJson() const {
  Json tables = Json::array();
  for (const auto& [path, folder] : folders_) {
    tables.push_back({{"folder", path}});
    tables.back().update(TotalsToJson(folder.totals));
  }
  Json json = TotalsToJson(all_);
  json["tables"] = std::move(tables);
  return json;
}

std::string Sums::Text() const {
  Json rows = ToJson();
  Json tables = std::move(rows["tables"]);
  rows.erase("tables");
  if (tables.size() != 1) {
    rows["folder"] = "all";
    tables.push_back(std::move(rows));
  }
  return TableText(tables, FieldsOfTotals());
}

// ---- What other chances would cost ----

Json Sums::CostsOf(const std::string& folder, const Totals& totals) const {
  Json with = Json::array({CostToJson("today", totals.now)});
  for (size_t i = 0; i < totals.with_chances.size(); ++i) {
    with.push_back(CostToJson(chances_[i], totals.with_chances[i]));
  }
  return {
      {"folder", folder}, {"sstables", totals.num_sstables}, {"with", with}};
}

// The table with the largest filters first.
Json Sums::WhatIfJson() const {
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const auto& [path, folder] : folders_) {
    if (folder.totals.num_sstables > 0) {
      order.emplace_back(UINT64_MAX - folder.totals.now.bytes, path);
    }
  }
  std::sort(order.begin(), order.end());
  Json tables = Json::array();
  for (const auto& [rank, path] : order) {
    tables.push_back(CostsOf(path, folders_.at(path).totals));
  }
  if (tables.size() != 1) {
    tables.push_back(CostsOf("all", all_));
  }
  return tables;
}

std::string Sums::WhatIfText() const {
  std::string text;
  for (const Json& table : WhatIfJson()) {
    text +=
        AsText(table["folder"]) + ", " + Count(table["sstables"], "SSTable") +
        "\n" +
        TableText(table["with"],
                  {{"fp_chance", "chance"},
                   {"filter_bytes", "filters", AsSize},
                   {"reads_for_absent_key", "read in vain", AsThreeDigits}}) +
        "\n";
  }
  return text;
}

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

}  // namespace cassandra_bloom::tools
