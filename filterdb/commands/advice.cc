// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/advice.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <tuple>
#include <vector>

#include "filterdb/mending/install.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

std::string Upgrade(const Table& table) {
  return "nodetool upgradesstables -a " + table.name;
}

std::string Scrub(const Table& table) { return "nodetool scrub " + table.name; }

std::string Repair(const Table& table) {
  return table.index.empty()
             ? "nodetool repair --full " + table.name
             : "nodetool rebuild_index " + table.name + " " + table.index;
}

bool IsPlain(const Table& table) {
  return table.index.empty() && !table.is_of_node;
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
    {[](const Table& table) { return table.has(Harm::kHidesRows); },
     "Scan the other replicas, too: nodes stream whole SSTables, with their "
     "filters.\n"},
    // A node does not rewrite an SSTable that it refused.
    {[](const Table& table) {
       constexpr uint64_t kMostSmallBytes = uint64_t{10} << 30;
       return table.needs_mend() && !table.has(Harm::kRefused) &&
              table.index.empty() && table.num_data_bytes <= kMostSmallBytes;
     },
     "Without a stop, the node rewrites these small tables, with new "
     "filters:\n",
     Upgrade},
    {[](const Table& table) {
       return table.has(Harm::kHidesRows) && table.is_mendable &&
              table.is_of_scylla;
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
       return table.has(Harm::kDamaged) && table.index.empty();
     },
     "Let the node rewrite what is damaged:\n", Scrub},
    {[](const Table& table) { return table.loses() && !table.is_of_node; },
     "After that, with the node up, repair what was hidden from "
     "compactions:\n",
     Repair, true},
    {[](const Table& table) { return table.loses() && IsPlain(table); },
     "  The right filters alone bring the rows back. The repair is for "
     "deletions\n  that a compaction forgot too early: run it before "
     "gc_grace_seconds have passed.\n  A materialized view: drop and create "
     "it. Counters, and what a lightweight\n  transaction wrote after a "
     "wrong read, stay wrong.\n",
     nullptr, true},
    {[](const Table& table) {
       return table.loses() && IsPlain(table) && table.is_of_scylla;
     },
     "  ScyllaDB, tables with tablets: nodetool cluster repair instead of "
     "nodetool repair --full.\n",
     nullptr, true},
    {[](const Table& table) { return table.loses() && table.is_of_node; },
     "  system and system_schema are of this node alone, and need no "
     "repair. (system.paxos:\n  a lightweight transaction may have missed "
     "one that was not finished.)\n",
     nullptr, true}};

}  // namespace

Table::Table(const std::string& folder, bool node_reads_it)
    : is_in_use(node_reads_it) {
  std::error_code ignored;
  fs::path path =
      TableOf(fs::weakly_canonical(fs::absolute(folder), ignored).string());
  std::string last = path.filename().string();
  if (last.size() > 1 && last[0] == '.') {
    index = Quoted(last.substr(1));
    path = path.parent_path();
  }
  last = path.filename().string();
  const std::string keyspace = path.parent_path().filename().string();
  is_of_node = keyspace == "system" || keyspace == "system_schema";
  name = Quoted(keyspace) + " " + Quoted(last.substr(0, last.find('-')));
}

void AddTo(Tables* tables, const Examined& examined) {
  const std::string& folder = examined.sstable.folder;
  Table& table = tables->try_emplace(folder, folder, examined.sstable.is_in_use)
                     .first->second;
  table.harms.Add(examined.harms());
  table.is_of_scylla |= examined.reader == Reader::kScylla;
  table.is_mendable |= examined.action() == Action::kMend;
  if (!examined.stamps.empty()) {
    table.num_data_bytes +=
        static_cast<uint64_t>(std::get<1>(examined.stamps.front()));
  }
}

std::string AdviceText(const Tables& tables, bool after_install) {
  std::string text;
  for (const Advice& advice : kAdvices) {
    bool fits = false;
    // Two data directories have the same table.
    std::set<std::string> commands;
    for (const auto& [folder, table] : tables) {
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

Json RepairJson(const Tables& tables) {
  Json list = Json::array();
  for (const auto& [folder, table] : tables) {
    if (table.loses() && !table.is_of_node) {
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
