// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/what_if.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "filterdb/commands/console.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/split.h"

namespace cassandra_bloom::tools {
namespace {

using Sstables = std::vector<const Examined*>;

// Returns what the filters cost with this chance or, without one, what they
// cost today.
Json CostOf(const Sstables& sstables, std::optional<double> chance) {
  uint64_t filter_bytes = 0;
  double reads = 0;
  for (const Examined* const sstable : sstables) {
    if (!chance || !sstable->has_keys) {
      filter_bytes += sstable->filter_size;
      reads += sstable->fill.rate();
      continue;
    }
    const Sizing sizing = *SizingForFpChance(*chance);
    const uint64_t size = sizing.FilterSize(sstable->num_keys);
    filter_bytes += size;
    reads += sizing.ExpectedRate(sstable->num_keys, size);
  }
  return {{"fp_chance", chance ? Json(*chance) : Json("today")},
          {"filter_bytes", filter_bytes},
          {"reads_for_absent_key", reads}};
}

Json CostsOf(const std::string& folder, const Sstables& sstables,
             const std::vector<double>& chances) {
  Json with = Json::array({CostOf(sstables, std::nullopt)});
  for (const double chance : chances) {
    with.push_back(CostOf(sstables, chance));
  }
  return {{"folder", folder}, {"sstables", sstables.size()}, {"with", with}};
}

uint64_t SizeToday(const Json& table) {
  return table["with"][0]["filter_bytes"];
}

}  // namespace

std::vector<double> ParseChances(const std::string& text) {
  std::vector<double> chances;
  for (const std::string_view part : Split(text, ',')) {
    std::string chance(part);
    const std::string fault = IsFpChance()(chance);
    if (!fault.empty()) {
      throw Unusable("--what-if=" + text + ": " + fault);
    }
    chances.push_back(std::stod(chance));
  }
  return chances;
}

Json WhatIf(const std::vector<Examined>& sstables,
            const std::vector<double>& chances) {
  std::map<std::string, Sstables> by_folder;
  Sstables all;
  for (const Examined& sstable : sstables) {
    if (sstable.sstable.state == SstableState::kLive &&
        !sstable.is_not_known()) {
      by_folder[sstable.sstable.folder].push_back(&sstable);
      all.push_back(&sstable);
    }
  }
  Json tables = Json::array();
  for (const auto& [folder, of_folder] : by_folder) {
    tables.push_back(CostsOf(folder, of_folder, chances));
  }
  std::stable_sort(
      tables.begin(), tables.end(),
      [](const Json& a, const Json& b) { return SizeToday(a) > SizeToday(b); });
  if (tables.size() != 1) {
    tables.push_back(CostsOf("all", all, chances));
  }
  return tables;
}

std::string WhatIfText(const Json& what_if) {
  std::string text;
  for (const Json& table : what_if) {
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

}  // namespace cassandra_bloom::tools
