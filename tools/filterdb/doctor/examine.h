// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: which filters the SST files of a database have.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugin/export/live_ssts.h"
#include "tools/filterdb/doctor/files.h"

namespace cassandra_bloom::tools {

// The filters of some SST files, or of one.
struct Filters {
  uint64_t files = 0;
  uint64_t ours = 0;  // Without a fault.
  uint64_t keys = 0;  // In filters of any policy.
  uint64_t bytes = 0;
  // Of ours: sums over files, by their entries.
  double weighted_rate = 0;
  double rate_weight = 0;

  void Add(const Filters& other);
  std::optional<double> BitsPerKey() const;
  std::optional<double> Rate() const;
};

enum class FilterState {
  kGood,
  kSaturated,           // Lets too many keys pass.
  kDamaged,             // Lets every key pass, or cannot be read.
  kOtherPartitionKeys,  // This and those below: RocksDB does not ask it.
  kOtherPolicy,
  kUnfiltered,
  kUnreadable,  // Not the filter alone, but the SST file.
  kMissing,
};

// In the order of the enumeration.
struct FilterStateName {
  FilterState state;
  const char* json;
  const char* text;  // Of SST files, behind their number.
};
constexpr FilterStateName kFilterStates[] = {
    {FilterState::kGood, "good", "with our filter"},
    {FilterState::kSaturated, "saturated", "with a saturated one"},
    {FilterState::kDamaged, "damaged", "with a damaged one"},
    {FilterState::kOtherPartitionKeys, "other_partition_keys",
     "with one of other partition keys"},
    {FilterState::kOtherPolicy, "other_policy", "with one of another policy"},
    {FilterState::kUnfiltered, "unfiltered", "without a filter"},
    {FilterState::kUnreadable, "unreadable", "that cannot be read"},
    {FilterState::kMissing, "missing", "missing"}};

constexpr const FilterStateName& NameOf(FilterState state) {
  return kFilterStates[static_cast<size_t>(state)];
}

struct Sst {
  LiveSst file;
  std::string policy;
  std::string kind;  // full, partitioned, none
  FilterState state = FilterState::kGood;
  std::string fault;  // Empty: it is good.
  std::string remedy;
  std::string reason;  // What RocksDB says to the fault, if it says something.
  uint64_t entries = 0;  // Without deleted ranges, which no filter has.
  double bits = 0;       // Of our filter blocks, without headers and index.
  bool whole_keys = false;
  Filters filter;

  // What a reader with our policy would ask.
  bool HasOurFilter() const {
    return state == FilterState::kGood || state == FilterState::kSaturated ||
           (state == FilterState::kDamaged && reason.empty());
  }
  bool IsThere() const {
    return state != FilterState::kUnreadable && state != FilterState::kMissing;
  }
};

struct Family {
  std::string name;
  std::string policy;  // In the OPTIONS file.
  bool on = false;     // It is ours.
  bool levelled = true;
  std::vector<Sst> ssts;
  std::map<int, Filters> levels;
};

struct Database {
  std::vector<Family> families;
  DatabaseFiles files;
};

// `db_paths`: the folders besides `db` that its SST files may be in. Throws
// Unusable.
Database ExamineDatabase(const std::string& db,
                         const std::vector<std::string>& db_paths);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_
