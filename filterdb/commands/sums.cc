// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/sums.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "filterdb/commands/console.h"
#include "plugin/filter_db/split.h"

namespace cassandra_bloom::tools {
namespace {

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

}  // namespace

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
