// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/advice.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// A table, or an index of it, by the path of its folder:
// …/KEYSPACE/TABLE-ID, perhaps with a folder in it (Cassandra's Directories).
struct Table : TableHarm {
  Table(const std::string& folder, const TableHarm& harm);

  // These keyspaces are of one node alone (SchemaConstants.LOCAL_SYSTEM_
  // KEYSPACE_NAMES), so there is nothing to repair them from.
  bool is_local() const {
    return keyspace == "system" || keyspace == "system_schema";
  }
  bool is_index() const { return !index.empty(); }

  std::string name() const { return Quoted(keyspace) + " " + Quoted(table); }

  std::string keyspace;
  std::string table;
  std::string index;  // Of a secondary index, whose folder begins with a dot.
};

Table::Table(const std::string& folder, const TableHarm& harm)
    : TableHarm(harm) {
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  std::string last = path.filename().string();
  if (last == "staging" || last == "quarantine") {
    path = path.parent_path();
  } else if (last.size() > 1 && last[0] == '.') {
    index = last.substr(1);
    path = path.parent_path();
  }
  last = path.filename().string();
  table = last.substr(0, last.find('-'));
  keyspace = path.parent_path().filename().string();
}

// ---- Which table an advice is for ----

bool HidesRows(const Table& table) { return table.harms.has(Harm::kHidesRows); }

bool IsMendable(const Table& table) {
  return table.is_mendable && table.harms.worst() >= Harm::kWastesReads;
}

bool IsSmall(const Table& table) {
  constexpr uint64_t kMostBytes = uint64_t{10} << 30;
  return IsMendable(table) && table.num_data_bytes <= kMostBytes &&
         !table.is_index();
}

bool MayDropFilters(const Table& table) {
  return table.is_of_scylla && HidesRows(table) && IsMendable(table);
}

// An index is rebuilt instead (see below).
bool IsToScrub(const Table& table) {
  return table.harms.has(Harm::kDamaged) && !table.is_index();
}

// Where a scrub is due, deletions and rows may be lost, too.
bool HasLost(const Table& table) {
  return HidesRows(table) || table.harms.has(Harm::kDamaged);
}

bool HasLostForAll(const Table& table) {
  return HasLost(table) && !table.is_local();
}

bool IsToRepair(const Table& table) {
  return HasLostForAll(table) && !table.is_index();
}

bool MayHaveTablets(const Table& table) {
  return IsToRepair(table) && table.is_of_scylla;
}

bool HasLostForItself(const Table& table) {
  return HasLost(table) && table.is_local();
}

// ---- Commands ----

std::string Upgrade(const Table& table) {
  return "nodetool upgradesstables -a " + table.name();
}

std::string Scrub(const Table& table) {
  return "nodetool scrub " + table.name();
}

std::string Repair(const Table& table) {
  return table.is_index() ? "nodetool rebuild_index " + table.name() + " " +
                                Quoted(table.index)
                          : "nodetool repair --full " + table.name();
}

struct Advice {
  bool (*fits)(const Table& table);
  const char* text;
  // A line for each table that it fits. Null: the text alone.
  std::string (*command)(const Table& table) = nullptr;
  bool is_repair = false;
};

// In the order in which it is to be done.
constexpr Advice kAdvice[] = {
    {HidesRows,
     "Scan the other replicas, too: nodes stream whole SSTables, with their "
     "filters.\n"},
    {IsSmall,
     "Without a stop, the node rewrites these small tables, with new "
     "filters:\n",
     Upgrade},
    {MayDropFilters,
     "ScyllaDB, at once: components_memory_reclaim_threshold = 0 makes it drop "
     "its filters, so\nthat every read looks into the SSTables (by its source, "
     "not tried).\n"},
    {IsMendable,
     "Build the right filters while the node runs (filterdb mend PATH "
     "--run=DIR), then put them\nin place while it is down, which takes "
     "seconds (filterdb install DIR).\n"},
    {IsToScrub, "Let the node rewrite what is damaged:\n", Scrub},
    {HasLostForAll,
     "After that, with the node up, repair what was hidden from "
     "compactions:\n",
     Repair, true},
    {IsToRepair,
     "  The rows themselves are back with the right filters. The repair is for "
     "deletions\n  that a compaction forgot too early: run it before "
     "gc_grace_seconds have passed.\n  A materialized view: drop and create "
     "it. Counters, and what a lightweight\n  transaction wrote after a wrong "
     "read, stay wrong.\n",
     nullptr, true},
    {MayHaveTablets,
     "  ScyllaDB, tables with tablets: nodetool cluster repair instead of "
     "nodetool repair --full.\n",
     nullptr, true},
    {HasLostForItself,
     "  system and system_schema are of this node alone, and need no repair. "
     "(system.paxos:\n  a lightweight transaction may have missed one that was "
     "not finished.)\n",
     nullptr, true}};

// Returns the lines of one advice, or "" if it fits no table.
std::string TextOf(const Advice& advice, const TableHarms& tables) {
  bool fits = false;
  std::set<std::string> commands;  // Two data directories have the same table.
  for (const auto& [folder, harm] : tables) {
    const Table table(folder, harm);
    if (advice.fits(table)) {
      fits = true;
      if (advice.command != nullptr) {
        commands.insert("    " + Printable(advice.command(table)) + "\n");
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
  for (const Advice& advice : kAdvice) {
    text += advice.is_repair || !after_install ? TextOf(advice, tables) : "";
  }
  return text;
}

Json RepairJson(const TableHarms& tables) {
  Json list = Json::array();
  for (const auto& [folder, harm] : tables) {
    const Table table(folder, harm);
    if (HasLostForAll(table)) {
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
