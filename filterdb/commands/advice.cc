// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/advice.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// A table, or an index of it, by the path of its folder:
// …/KEYSPACE/TABLE-ID, perhaps with a folder in it (Cassandra's Directories).
struct TableName {
  std::string keyspace;
  std::string table;
  std::string index;  // Of a secondary index, whose folder begins with a dot.
};

TableName NameOfTable(const std::string& folder) {
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  TableName name;
  std::string last = path.filename().string();
  if (last == "staging" || last == "quarantine") {
    path = path.parent_path();
  } else if (last.size() > 1 && last[0] == '.') {
    name.index = last.substr(1);
    path = path.parent_path();
  }
  last = path.filename().string();
  name.table = last.substr(0, last.find('-'));
  name.keyspace = path.parent_path().filename().string();
  return name;
}

// These keyspaces are of one node alone (SchemaConstants.LOCAL_SYSTEM_KEYSPACE_
// NAMES), so there is nothing to repair them from.
bool IsLocal(const std::string& keyspace) {
  return keyspace == "system" || keyspace == "system_schema";
}

// Where a scrub is due, deletions and rows may be lost, too.
bool NeedsRepair(const TableHarm& table) {
  return table.harms.has(Harm::kHidesRows) || table.harms.has(Harm::kDamaged);
}

std::string WordsOf(const TableName& name) {
  return Quoted(name.keyspace) + " " + Quoted(name.table);
}

std::string RepairCommand(const TableHarm& table) {
  const TableName name = NameOfTable(table.folder);
  if (!name.index.empty()) {
    return "nodetool rebuild_index " + WordsOf(name) + " " + Quoted(name.index);
  }
  return IsLocal(name.keyspace) ? ""
                                : "nodetool repair --full " + WordsOf(name);
}

std::vector<TableHarm> ToRepair(const std::vector<TableHarm>& tables) {
  std::vector<TableHarm> chosen;
  std::copy_if(tables.begin(), tables.end(), std::back_inserter(chosen),
               NeedsRepair);
  return chosen;
}

// Returns `head`, and a line for each different command.
template <typename Command>
std::string Lines(const std::string& head, const std::vector<TableHarm>& tables,
                  Command command_of) {
  std::set<std::string> commands;
  std::string text;
  for (const TableHarm& table : tables) {
    const std::string command = command_of(table);
    if (!command.empty() && commands.insert(command).second) {
      text += "    " + Printable(command) + "\n";
    }
  }
  return text.empty() ? "" : head + text;
}

}  // namespace

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

std::string RepairText(const std::vector<TableHarm>& tables) {
  const std::vector<TableHarm> chosen = ToRepair(tables);
  if (chosen.empty()) {
    return "";
  }
  bool has_local = false;
  bool has_table = false;
  bool has_scylla = false;
  for (const TableHarm& table : chosen) {
    const TableName name = NameOfTable(table.folder);
    has_local |= IsLocal(name.keyspace);
    has_table |= name.index.empty() && !IsLocal(name.keyspace);
    has_scylla |= table.is_of_scylla;
  }
  std::string text = Lines(
      "After that, with the node up, repair what was hidden from "
      "compactions:\n",
      chosen, RepairCommand);
  if (has_table) {
    text +=
        "  The rows themselves are back with the right filters. The repair is "
        "for deletions\n  that a compaction forgot too early: run it before "
        "gc_grace_seconds have passed.\n  A materialized view: drop and create "
        "it. Counters, and what a lightweight\n  transaction wrote after a "
        "wrong read, stay wrong.\n";
  }
  if (has_table && has_scylla) {
    text +=
        "  ScyllaDB, tables with tablets: nodetool cluster repair instead of "
        "nodetool repair --full.\n";
  }
  if (has_local) {
    text +=
        "  system and system_schema are of this node alone, and need no "
        "repair. (system.paxos:\n  a lightweight transaction may have missed "
        "one that was not finished.)\n";
  }
  return text;
}

Json RepairJson(const std::vector<TableHarm>& tables) {
  Json list = Json::array();
  for (const TableHarm& table : ToRepair(tables)) {
    list.push_back(
        {{"folder", table.folder}, {"command", RepairCommand(table)}});
  }
  return list;
}

std::string AdviceText(const std::vector<TableHarm>& tables) {
  constexpr uint64_t kSmall = uint64_t{10} << 30;  // In bytes.
  Harms harms;
  bool has_scylla = false;
  std::vector<TableHarm> mendable;
  std::vector<TableHarm> small;
  std::vector<TableHarm> damaged;
  for (const TableHarm& table : tables) {
    harms.Add(table.harms);
    const bool is_mendable =
        table.is_mendable && table.harms.worst() >= Harm::kWastesReads;
    if (is_mendable) {
      has_scylla |= table.is_of_scylla;
      mendable.push_back(table);
    }
    if (is_mendable && table.num_data_bytes <= kSmall &&
        NameOfTable(table.folder).index.empty()) {
      small.push_back(table);
    }
    if (table.harms.has(Harm::kDamaged)) {
      damaged.push_back(table);
    }
  }
  std::string text;
  if (harms.has(Harm::kHidesRows)) {
    text +=
        "Scan the other replicas, too: nodes stream whole SSTables, with their "
        "filters.\n";
  }
  text += Lines(
      "Without a stop, the node rewrites these small tables, with new "
      "filters:\n",
      small, [](const TableHarm& table) {
        return "nodetool upgradesstables -a " +
               WordsOf(NameOfTable(table.folder));
      });
  if (has_scylla && harms.has(Harm::kHidesRows)) {
    text +=
        "ScyllaDB, at once: components_memory_reclaim_threshold = 0 makes it "
        "drop its filters, so\nthat every read looks into the SSTables (by its "
        "source, not tried).\n";
  }
  if (!mendable.empty()) {
    text +=
        "Build the right filters while the node runs (filterdb mend PATH "
        "--run=DIR), then put them\nin place while it is down, which takes "
        "seconds (filterdb install DIR).\n";
  }
  text += Lines("Let the node rewrite what is damaged:\n", damaged,
                [](const TableHarm& table) {
                  return "nodetool scrub " + WordsOf(NameOfTable(table.folder));
                });
  return text + RepairText(tables);
}

}  // namespace cassandra_bloom::tools
