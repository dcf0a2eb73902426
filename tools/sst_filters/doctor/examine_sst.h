// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: which filter an SST file has, and what is wrong with it.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_SST_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_SST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/export/live_ssts.h"
#include "plugin/export/sst_file.h"
#include "tools/sst_filters/doctor/files/options_file.h"
#include "tools/sst_filters/doctor/filters/filter_blocks.h"
#include "tools/sst_filters/doctor/filters/policy_in_use.h"

namespace cassandra_bloom::tools {

// Sums over the filters of one or more SST files.
struct Filters {
  uint64_t files = 0;
  // Files without a fault that have a cassandra_bloom filter or no keys.
  uint64_t num_healthy = 0;
  uint64_t num_rocksdbs = 0;  // Files of FilterState::kRocksdbs.
  uint64_t keys = 0;          // In all filters.
  uint64_t bytes = 0;
  // Each file with a filter of cassandra_bloom or RocksDB adds its number of
  // entries to `rate_weight`. It adds the product of this number and its false
  // positive rate to `weighted_rate`.
  double weighted_rate = 0;
  double rate_weight = 0;
  // True if any file has PassRate::is_measured or PassRate::is_at_most.
  bool is_measured = false;
  bool is_at_most = false;

  void Add(const Filters& other);
  std::optional<double> BitsPerKey() const;
  std::optional<double> Rate() const;
};

enum class FilterState {
  kGood,
  kRocksdbs,   // RocksDB's own, used by cassandra_bloom.
  kSaturated,  // Lets too many absent keys pass.
  kDamaged,    // Lets every key pass, or cannot be read.
  kOtherForm,  // cassandra_bloom's, with another `blocks` option.
  kOtherPartitionKeys,
  kOtherPolicy,
  kUnfiltered,
  kNoneExpected,  // Without a filter, because the options say so.
  kUnreadable,    // The whole SST file cannot be read.
  kMissing,
};

struct FilterStateName {
  FilterState state;
  const char* json;
  const char* text;  // To be printed after the number of files.
};
// The order is that of FilterState, because NameOf uses the state as an index.
constexpr FilterStateName kFilterStates[] = {
    {FilterState::kGood, "good", "with our filter"},
    {FilterState::kRocksdbs, "rocksdbs", "with RocksDB's own filter"},
    {FilterState::kSaturated, "saturated", "with a saturated one"},
    {FilterState::kDamaged, "damaged", "with a damaged one"},
    {FilterState::kOtherForm, "other_form", "with one of other blocks"},
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
  // The name of the policy that was set when the file was written. Another
  // policy may have built the filter.
  std::string policy;
  std::string layout;  // full, partitioned, none or unknown
  FilterKind kind = FilterKind::kUnknown;
  FilterState state = FilterState::kGood;
  std::string fault;  // What is wrong with the file, or empty.
  std::string remedy;
  std::string reason;     // RocksDB's message about the fault, if any.
  uint64_t entries = 0;   // Without range deletions, which are in no filter.
  double bits = 0;        // In the filter blocks, without headers and index.
  double rate_bound = 1;  // As PassRate::bound.
  bool whole_keys = false;
  bool is_skipped = false;  // RocksDB asks no filter in the file's level.
  Filters filter;

  // Returns how RocksDB with this policy treats the filter of the file.
  FilterUse UseWith(PolicyInUse in_use) const {
    return is_skipped || state == FilterState::kOtherPartitionKeys
               ? FilterUse::kNotSeen
               : UseOf(kind, in_use);
  }
  // Returns the share of absent keys for which RocksDB with this policy reads
  // the file.
  double RateWith(PolicyInUse in_use) const {
    return UseWith(in_use) == FilterUse::kAsked ? filter.Rate().value_or(1) : 1;
  }
  bool IsThere() const {
    return state != FilterState::kUnreadable && state != FilterState::kMissing;
  }
};

// Examines the SST file `listed`, which is one of the files in `live`.
// `options` are the options of its column family. Does not judge whether a
// policy asks the filter. Returns nullopt if the file does not exist.
std::optional<Sst> ExamineSst(const LiveSst& listed, const LiveSsts& live,
                              const FamilyOptions& options);

// Sets the state, the fault and the remedy of a file. The remedy is
// `before_remedy`, and then to compact the file.
void SetFault(FilterState state, const std::string& fault,
              const std::string& before_remedy, Sst* sst);

constexpr char kSwitchOnFirst[] = "switch the policy on, then ";

Sst MissingSst(const LiveSst& listed);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_SST_H_
