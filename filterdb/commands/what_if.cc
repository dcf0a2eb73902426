// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/what_if.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "filterdb/commands/printer.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

struct Cost {
  void Add(uint64_t size, double rate) {
    filter_bytes += size;
    reads += rate;
  }

  uint64_t filter_bytes = 0;
  double reads = 0;
};

// The costs of the filters of a table.
struct Costs {
  explicit Costs(size_t num_chances) : with(num_chances) {}

  void Add(const Examined& sstable, const std::vector<double>& chances) {
    ++num_sstables;
    today.Add(sstable.filter_size, sstable.fill.rate());
    for (size_t i = 0; i < chances.size(); ++i) {
      if (!sstable.has_keys) {
        with[i].Add(sstable.filter_size, sstable.fill.rate());
        continue;
      }
      const Sizing sizing = *SizingForFpChance(chances[i]);
      const uint64_t size = sizing.FilterSize(sstable.num_keys);
      with[i].Add(size, sizing.ExpectedRate(sstable.num_keys, size));
    }
  }

  uint64_t num_sstables = 0;
  Cost today;
  std::vector<Cost> with;  // One for each chance.
};

Json ToJson(const std::string& folder, const Costs& costs,
            const std::vector<double>& chances) {
  const auto to_json = [](const Json& chance, const Cost& cost) {
    return Json{{"fp_chance", chance},
                {"filter_bytes", cost.filter_bytes},
                {"reads_for_absent_key", cost.reads}};
  };
  Json with = Json::array({to_json("today", costs.today)});
  for (size_t i = 0; i < chances.size(); ++i) {
    with.push_back(to_json(chances[i], costs.with[i]));
  }
  return {{"folder", folder}, {"sstables", costs.num_sstables}, {"with", with}};
}

uint64_t SizeToday(const Json& table) {
  return table["with"][0]["filter_bytes"];
}

}  // namespace

std::vector<double> ParseChances(const std::string& text) {
  std::vector<double> chances;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double chance = 0;
    const auto [parsed_to, error] = std::from_chars(at, end, chance);
    if (error != std::errc() || !(chance >= kMinFpChance && chance < 1) ||
        (parsed_to != end && *parsed_to != ',')) {
      throw Unusable("--what-if=" + text +
                     ": not chances of at least 0.0000671 and less than 1, "
                     "with commas between them");
    }
    chances.push_back(chance);
    if (parsed_to == end) {
      return chances;
    }
    at = parsed_to + 1;
  }
}

Json WhatIf(const std::vector<Examined>& sstables,
            const std::vector<double>& chances) {
  std::map<std::string, Costs> by_folder;
  Costs sum(chances.size());
  for (const Examined& sstable : sstables) {
    if (sstable.sstable.state == SstableState::kLive &&
        !sstable.is_not_known()) {
      by_folder.try_emplace(sstable.sstable.folder, chances.size())
          .first->second.Add(sstable, chances);
      sum.Add(sstable, chances);
    }
  }
  Json tables = Json::array();
  for (const auto& [folder, costs] : by_folder) {
    tables.push_back(ToJson(folder, costs, chances));
  }
  std::stable_sort(
      tables.begin(), tables.end(),
      [](const Json& a, const Json& b) { return SizeToday(a) > SizeToday(b); });
  if (tables.size() != 1) {
    tables.push_back(ToJson("all", sum, chances));
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
