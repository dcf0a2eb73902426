// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/advice.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <tuple>
#include <vector>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// What a folder holds. A kNodesTable is of this node alone (SchemaConstants.
// LOCAL_SYSTEM_KEYSPACE_NAMES), so there is nothing to repair it from.
enum Kind { kTable, kIndex, kNodesTable };

// A table, or a secondary index, by the path of its folder:
// …/KEYSPACE/TABLE-ID, perhaps with a folder in it (Cassandra's Directories).
struct Table {
  Table(const std::string& folder, const TableHarm& found);

  bool hides() const { return found.harms.has(Harm::kHidesRows); }
  bool is_damaged() const { return found.harms.has(Harm::kDamaged); }
  // Where a scrub is due, deletions and rows may be lost, too.
  bool loses() const { return hides() || is_damaged(); }
  bool needs_mend() const {
    return found.is_mendable && (hides() || found.harms.has(Harm::kRefused) ||
                                 found.harms.has(Harm::kWastesReads));
  }

  const TableHarm& found;
  Kind kind = kTable;
  std::string name;  // As nodetool takes it: keyspace and table.
  std::string index;
};

Table::Table(const std::string& folder, const TableHarm& of_folder)
    : found(of_folder) {
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  std::string last = path.filename().string();
  if (last == "staging" || last == "quarantine") {
    path = path.parent_path();
  } else if (last.size() > 1 && last[0] == '.') {
    kind = kIndex;
    index = last.substr(1);
    path = path.parent_path();
  }
  last = path.filename().string();
  const std::string keyspace = path.parent_path().filename().string();
  if (keyspace == "system" || keyspace == "system_schema") {
    kind = kNodesTable;
  }
  name = Quoted(keyspace) + " " + Quoted(last.substr(0, last.find('-')));
}

std::string Upgrade(const Table& table) {
  return "nodetool upgradesstables -a " + table.name;
}

std::string Scrub(const Table& table) { return "nodetool scrub " + table.name; }

std::string Repair(const Table& table) {
  return table.kind == kIndex ? "nodetool rebuild_index " + table.name + " " +
                                    Quoted(table.index)
                              : "nodetool repair --full " + table.name;
}

struct Advice {
  bool (*fits)(const Table& table);
  const char* text;
  // A line for each table that it fits. Null: the text alone.
  std::string (*command)(const Table& table) = nullptr;
  bool is_repair = false;
};

// In the order in which it is to be done.
constexpr Advice kAdvices[] = {
    {[](const Table& table) { return table.hides(); },
     "Scan the other replicas, too: nodes stream whole SSTables, with their "
     "filters.\n"},
    {[](const Table& table) {
       constexpr uint64_t kMostSmallBytes = uint64_t{10} << 30;
       return table.needs_mend() && table.kind != kIndex &&
              table.found.num_data_bytes <= kMostSmallBytes;
     },
     "Without a stop, the node rewrites these small tables, with new "
     "filters:\n",
     Upgrade},
    {[](const Table& table) {
       return table.hides() && table.found.is_mendable &&
              table.found.is_of_scylla;
     },
     "ScyllaDB, at once: components_memory_reclaim_threshold = 0 makes it "
     "drop its filters, so\nthat every read looks into the SSTables (by its "
     "source, not tried).\n"},
    {[](const Table& table) { return table.needs_mend(); },
     "Build the right filters while the node runs (filterdb mend PATH "
     "--run=DIR), then put them\nin place while it is down, which takes "
     "seconds (filterdb install DIR).\n"},
    // An index is built anew instead.
    {[](const Table& table) {
       return table.is_damaged() && table.kind != kIndex;
     },
     "Let the node rewrite what is damaged:\n", Scrub},
    {[](const Table& table) {
       return table.loses() && table.kind != kNodesTable;
     },
     "After that, with the node up, repair what was hidden from "
     "compactions:\n",
     Repair, true},
    {[](const Table& table) { return table.loses() && table.kind == kTable; },
     "  The rows themselves are back with the right filters. The repair is "
     "for deletions\n  that a compaction forgot too early: run it before "
     "gc_grace_seconds have passed.\n  A materialized view: drop and create "
     "it. Counters, and what a lightweight\n  transaction wrote after a "
     "wrong read, stay wrong.\n",
     nullptr, true},
    {[](const Table& table) {
       return table.loses() && table.kind == kTable && table.found.is_of_scylla;
     },
     "  ScyllaDB, tables with tablets: nodetool cluster repair instead of "
     "nodetool repair --full.\n",
     nullptr, true},
    {[](const Table& table) {
       return table.loses() && table.kind == kNodesTable;
     },
     "  system and system_schema are of this node alone, and need no "
     "repair. (system.paxos:\n  a lightweight transaction may have missed "
     "one that was not finished.)\n",
     nullptr, true}};

}  // namespace

void AddTo(TableHarms* tables, const Examined& examined) {
  if (!examined.sstable.is_in_use) {
    return;
  }
  TableHarm& table = (*tables)[examined.sstable.folder];
  table.harms.Add(examined.harms());
  table.is_of_scylla |= examined.reader == Reader::kScylla;
  table.is_mendable |= examined.action() == Action::kMend;
  if (!examined.stamps.empty()) {
    table.num_data_bytes +=
        static_cast<uint64_t>(std::get<1>(examined.stamps.front()));
  }
}

std::string AdviceText(const TableHarms& tables, bool after_install) {
  std::string text;
  for (const Advice& advice : kAdvices) {
    bool fits = false;
    std::set<std::string>
        commands;  // Two data directories have the same table.
    for (const auto& [folder, found] : tables) {
      const Table table(folder, found);
      if ((advice.is_repair || !after_install) && advice.fits(table)) {
        fits = true;
        commands.insert(advice.command == nullptr
                            ? ""
                            : "    " + Printable(advice.command(table)) + "\n");
      }
    }
    text += fits ? advice.text : "";
    for (const std::string& command : commands) {
      text += command;
    }
  }
  return text;
}

Json RepairJson(const TableHarms& tables) {
  Json list = Json::array();
  for (const auto& [folder, found] : tables) {
    const Table table(folder, found);
    if (table.loses() && table.kind != kNodesTable) {
      list.push_back({{"folder", folder}, {"command", Repair(table)}});
    }
  }
  return list;
}

std::string Quoted(const std::string& text) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string quoted;
  for (const char c : text) {
    quoted += c == '\'' ? "'\"'\"'" : std::string(1, c);
  }
  return "'" + quoted + "'";
}

}  // namespace cassandra_bloom::tools
