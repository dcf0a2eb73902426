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
#include "tools/filterdb/doctor/options_file.h"

namespace cassandra_bloom::tools {

// Sums over the filters of one or more SST files.
struct Filters {
  uint64_t files = 0;
  // Files without a fault, except those to which the options give no filter.
  uint64_t num_healthy = 0;
  uint64_t keys = 0;  // In filters of any policy.
  uint64_t bytes = 0;
  // weighted_rate sums the files' rates, each multiplied by the file's number
  // of entries; rate_weight sums these numbers of entries. Only files with
  // filter blocks of ours count.
  double weighted_rate = 0;
  double rate_weight = 0;

  void Add(const Filters& other);
  std::optional<double> BitsPerKey() const;
  std::optional<double> Rate() const;
};

enum class FilterState {
  kGood,
  kSaturated,           // Lets too many absent keys pass.
  kDamaged,             // Lets every key pass, or cannot be read.
  kOtherPartitionKeys,  // In this state and below, RocksDB asks no filter.
  kOtherPolicy,
  kUnfiltered,
  kNoneExpected,  // Without a filter, because the options say so.
  kUnreadable,    // The whole SST file, not only its filter.
  kMissing,
};

struct FilterStateName {
  FilterState state;
  const char* json;
  const char* text;  // To be printed after the number of files.
};
// In the order of FilterState, because NameOf uses the state as an index.
constexpr FilterStateName kFilterStates[] = {
    {FilterState::kGood, "good", "with our filter"},
    {FilterState::kSaturated, "saturated", "with a saturated one"},
    {FilterState::kDamaged, "damaged", "with a damaged one"},
    {FilterState::kOtherPartitionKeys, "other_partition_keys",
     "with one of other partition keys"},
    {FilterState::kOtherPolicy, "other_policy", "with one of another policy"},
    {FilterState::kUnfiltered, "unfiltered", "without a filter"},
    {FilterState::kNoneExpected, "none_expected",
     "to which the options give no filter"},
    {FilterState::kUnreadable, "unreadable", "that cannot be read"},
    {FilterState::kMissing, "missing", "missing"}};

constexpr const FilterStateName& NameOf(FilterState state) {
  return kFilterStates[static_cast<size_t>(state)];
}

struct Sst {
  LiveSst file;
  std::string policy;
  std::string kind;  // full, partitioned, none or unknown
  FilterState state = FilterState::kGood;
  std::string fault;  // Why the file is not good; else empty.
  std::string remedy;
  std::string reason;    // RocksDB's message about the fault, if any.
  uint64_t entries = 0;  // Without range deletions, which are in no filter.
  double bits = 0;       // Of our filter blocks, without headers and index.
  bool whole_keys = false;
  Filters filter;

  // True if RocksDB with our policy would ask the filter of this file.
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
  FamilyOptions options;
  bool is_only = true;  // Whether the database has no other column family.
  std::vector<Sst> ssts;
  std::map<int, Filters> levels;
};

struct Database {
  std::vector<Family> families;
  std::vector<std::string> left_out;  // The other column families.
  DatabaseFiles files;
};

// `db_paths`: further folders that may hold SST files of the database.
// `column_families`: those to examine; all of them if this is empty. Throws
// Unusable.
Database ExamineDatabase(const std::string& db,
                         const std::vector<std::string>& db_paths,
                         const std::vector<std::string>& column_families);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_
