// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.

#include <algorithm>

#include "tools/sst_filters/doctor.h"

namespace cassandra_bloom::tools {
namespace {

std::string NamesOf(const Json& ssts) {
  constexpr size_t kMostNamed = 10;
  std::string names;
  for (size_t i = 0; i < std::min(ssts.size(), kMostNamed); ++i) {
    names += " " + AsText(ssts[i]);
  }
  return names + (ssts.size() > kMostNamed ? " ..." : "");
}

// Returns null for a value that is not there. ListText leaves out its line.
Json Formatted(const Json& object, const char* name, Format format) {
  const Json value = object.is_null() ? Json() : object[name];
  return value.is_null() ? Json() : Json(format(value));
}

void PrintSums(const Json& family) {
  const Json& policy = family["policy"];
  Json sums;
  sums["title"] =
      "column family " + family["name"].get<std::string>() + ": " +
      (policy.is_null() ? "filter_policy not known"
       : policy == ""   ? "no filter_policy"
                        : "filter_policy=" + policy.get<std::string>());
  const Json& all = family["all"];
  sums["false positives of an absent key"] =
      Formatted(all, "false_positives", AsThreeDigits);
  sums["memory of all filters"] = Formatted(all, "filter_bytes", AsSize);
  sums["more memory while the largest file is written"] =
      Formatted(family["settings"]["now"], "bytes_to_build", AsSize);
  const Json& cache = family["block_cache"];
  if (!cache.is_null() && cache["filter_bytes"] > 0) {
    sums["filters in the block cache"] = AsSize(cache["filter_bytes"]) +
                                         " of " + AsSize(cache["capacity"]) +
                                         ", at " + AsText(cache["time"]);
  }
  sums["note"] = family["notes"];
  PrintText(ListText(sums));
  Json rows = family["levels"];
  if (!all.is_null()) {
    rows.push_back(all);
    PrintText(TableText(rows, {{"level", "level"},
                               {"files", "files"},
                               {"keys", "keys"},
                               {"filter_bytes", "filter bytes"},
                               {"bits_per_key", "bits/key", AsThreeDigits},
                               {"rate", "absent pass", AsPercent},
                               {"asked_by_get", "asked: Get"},
                               {"asked_by_seek", "Seek"}}));
  }
}

void PrintReason(const std::string& why, const Json& reason) {
  const bool is_fault = reason["use"] == Use::kNotUsed;
  PrintText(std::string("  ") +
            (is_fault                              ? "fault: "
             : reason["use"] == Use::kNotAsked     ? "could not be asked: "
             : reason["use"] == Use::kMayBeDropped ? "not known: "
                                                   : "no fault: ") +
            Printable(why) + "\n");
  if (is_fault) {
    PrintText("    to do: " + AsText(reason["to_do"]) + "\n");
  }
  for (const auto& [level, ssts] : reason["levels"].items()) {
    PrintText("    level " + level + ", " + Count(ssts.size(), "SST file") +
              ":" + NamesOf(ssts) + "\n");
  }
}

void PrintSettings(const Json& settings) {
  Json rows = settings["rows"];
  if (!rows.empty()) {
    if (!settings["now"].is_null()) {
      rows.push_back(settings["now"]);
    }
    PrintText("  with other settings (blocks read in vain by a look-up):\n");
    PrintText(
        TableText(rows, {{"policy", "filter_policy"},
                         {"filter_bytes", "filters", AsSize},
                         {"bits_per_key", "bits/key", AsThreeDigits},
                         {"false_positives", "absent key", AsThreeDigits},
                         {"present_key_in_vain", "present key", AsThreeDigits},
                         {"bytes_to_build", "to build one", AsSize}}));
  }
  for (const Json& note : settings["notes"]) {
    PrintText("    " + AsText(note) + "\n");
  }
}

}  // namespace

void PrintFamily(const Json& family) {
  PrintSums(family);
  PrintSettings(family["settings"]);
  bool needs_compaction = false;
  for (const auto& [why, reason] : family["reasons"].items()) {
    PrintReason(why, reason);
    needs_compaction |= reason["compact"].get<bool>();
  }
  // RocksDB may keep the next levels empty, so files of level 0 are not for
  // CompactFiles.
  if (needs_compaction) {
    PrintText(
        "    to compact all: CompactRange with "
        "bottommost_level_compaction=kForce\n"
        "    to compact only these: DB::CompactFiles with the files of a level "
        "(--json has all), and\n"
        "    that level as the output level; not for level 0\n");
  }
}

void PrintLog(const Json& log) {
  if (log.is_null()) {
    return;
  }
  const Json& tickers = log["tickers"];
  if (tickers.is_null()) {
    PrintText(std::string("in the running program: not known, ") +
              (log["has_statistics"].get<bool>()
                   ? "because its LOG counts no look-up yet\n"
                   : "because its LOG has no tickers (the program has to set "
                     "DBOptions::statistics)\n"));
    return;
  }
  Json lines;
  lines["title"] = "in the running program, until " + AsText(tickers["time"]) +
                   ", in all column families:";
  lines["look-ups in SST files"] = tickers["look_ups_in_files"];
  lines["of absent keys"] = Formatted(tickers, "absent_share", AsPercent);
  lines["absent keys that pass a filter"] =
      Formatted(tickers, "rate", AsPercent);
  if (tickers["prefixes_checked"] > 0) {
    lines["prefixes that filters were asked for"] = tickers["prefixes_checked"];
    lines["prefixes that filters denied"] = tickers["prefixes_denied"];
  }
  PrintText(ListText(lines));
}

}  // namespace cassandra_bloom::tools
