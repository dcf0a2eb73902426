// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/advice.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <vector>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// What a folder holds. A kNodesTable is of this node alone (SchemaConstants.
// LOCAL_SYSTEM_KEYSPACE_NAMES), so there is nothing to repair it from.
enum Kind { kTable = 1, kIndex = 2, kNodesTable = 4 };

// A table, or a secondary index, by the path of its folder:
// …/KEYSPACE/TABLE-ID, perhaps with a folder in it (Cassandra's Directories).
struct Name {
  std::string table() const { return Quoted(keyspace) + " " + Quoted(name); }

  Kind kind = kTable;
  std::string keyspace;
  std::string name;
  std::string index;
};

Name NameOfFolder(const std::string& folder) {
  Name name;
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  std::string last = path.filename().string();
  if (last == "staging" || last == "quarantine") {
    path = path.parent_path();
  } else if (last.size() > 1 && last[0] == '.') {
    name.kind = kIndex;
    name.index = last.substr(1);
    path = path.parent_path();
  }
  last = path.filename().string();
  name.name = last.substr(0, last.find('-'));
  name.keyspace = path.parent_path().filename().string();
  if (name.keyspace == "system" || name.keyspace == "system_schema") {
    name.kind = kNodesTable;
  }
  return name;
}

std::string Upgrade(const Name& name) {
  return "nodetool upgradesstables -a " + name.table();
}

std::string Scrub(const Name& name) { return "nodetool scrub " + name.table(); }

std::string Repair(const Name& name) {
  return name.kind == kIndex ? "nodetool rebuild_index " + name.table() + " " +
                                   Quoted(name.index)
                             : "nodetool repair --full " + name.table();
}

// What else must be so for an advice.
enum Condition { kAlways = 0, kMendable = 1, kSmall = 2, kOfScylla = 4 };

struct Advice {
  std::vector<Harm> harms;  // For folders with one of these,
  int kinds;                // of one of these kinds,
  int conditions;           // if all of these hold.
  const char* text;
  // A line for each such folder. Null: the text alone.
  std::string (*command)(const Name& name) = nullptr;
  bool is_repair = false;
};

const std::vector<Advice>& Advices() {
  constexpr int kAll = kTable | kIndex | kNodesTable;
  const std::vector<Harm> hides = {Harm::kHidesRows};
  const std::vector<Harm> mendable = {Harm::kRefused, Harm::kHidesRows,
                                      Harm::kWastesReads};
  // Where a scrub is due, deletions and rows may be lost, too.
  const std::vector<Harm> loses = {Harm::kHidesRows, Harm::kDamaged};
  // In the order in which it is to be done.
  static const auto* const advices = new std::vector<Advice>{
      {hides, kAll, kAlways,
       "Scan the other replicas, too: nodes stream whole SSTables, with their "
       "filters.\n"},
      {mendable, kTable | kNodesTable, kMendable | kSmall,
       "Without a stop, the node rewrites these small tables, with new "
       "filters:\n",
       Upgrade},
      {hides, kAll, kMendable | kOfScylla,
       "ScyllaDB, at once: components_memory_reclaim_threshold = 0 makes it "
       "drop its filters, so\nthat every read looks into the SSTables (by its "
       "source, not tried).\n"},
      {mendable, kAll, kMendable,
       "Build the right filters while the node runs (filterdb mend PATH "
       "--run=DIR), then put them\nin place while it is down, which takes "
       "seconds (filterdb install DIR).\n"},
      // An index is built anew instead.
      {{Harm::kDamaged},
       kTable | kNodesTable,
       kAlways,
       "Let the node rewrite what is damaged:\n",
       Scrub},
      {loses, kTable | kIndex, kAlways,
       "After that, with the node up, repair what was hidden from "
       "compactions:\n",
       Repair, true},
      {loses, kTable, kAlways,
       "  The rows themselves are back with the right filters. The repair is "
       "for deletions\n  that a compaction forgot too early: run it before "
       "gc_grace_seconds have passed.\n  A materialized view: drop and create "
       "it. Counters, and what a lightweight\n  transaction wrote after a "
       "wrong read, stay wrong.\n",
       nullptr, true},
      {loses, kTable, kOfScylla,
       "  ScyllaDB, tables with tablets: nodetool cluster repair instead of "
       "nodetool repair --full.\n",
       nullptr, true},
      {loses, kNodesTable, kAlways,
       "  system and system_schema are of this node alone, and need no "
       "repair. (system.paxos:\n  a lightweight transaction may have missed "
       "one that was not finished.)\n",
       nullptr, true}};
  return *advices;
}

bool Fits(const Advice& advice, const TableHarm& table, Kind kind) {
  constexpr uint64_t kMostSmallBytes = uint64_t{10} << 30;
  const int holds = (table.is_mendable ? kMendable : 0) |
                    (table.num_data_bytes <= kMostSmallBytes ? kSmall : 0) |
                    (table.is_of_scylla ? kOfScylla : 0);
  return (advice.kinds & kind) != 0 && (advice.conditions & ~holds) == 0 &&
         std::any_of(advice.harms.begin(), advice.harms.end(),
                     [&](Harm harm) { return table.harms.has(harm); });
}

// Returns the lines of one advice, or "" if it fits no table.
std::string TextOf(const Advice& advice, const TableHarms& tables) {
  bool fits = false;
  std::set<std::string> commands;  // Two data directories have the same table.
  for (const auto& [folder, table] : tables) {
    const Name name = NameOfFolder(folder);
    if (Fits(advice, table, name.kind)) {
      fits = true;
      if (advice.command != nullptr) {
        commands.insert("    " + Printable(advice.command(name)) + "\n");
      }
    }
  }
  std::string text = fits ? advice.text : "";
  for (const std::string& command : commands) {
    text += command;
  }
  return text;
}

}  // namespace

std::string AdviceText(const TableHarms& tables, bool after_install) {
  std::string text;
  for (const Advice& advice : Advices()) {
    text += advice.is_repair || !after_install ? TextOf(advice, tables) : "";
  }
  return text;
}

Json RepairJson(const TableHarms& tables) {
  Json list = Json::array();
  for (const Advice& advice : Advices()) {
    for (const auto& [folder, table] : tables) {
      const Name name = NameOfFolder(folder);
      if (advice.command == Repair && Fits(advice, table, name.kind)) {
        list.push_back({{"folder", folder}, {"command", Repair(name)}});
      }
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
