// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/doctor/judge_filters.h"

#include <algorithm>
#include <map>

#include "plugin/policy/filter_name.h"
#include "tools/filterdb/output.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kBlocksRocksdb[] = ":blocks:rocksdb";
constexpr char kPartitionKey[] = ":partition_key:";

// What must be added to our policy's string for it to ask this filter; nullopt
// if it asks none such.
std::optional<std::string> OptionsThatAsk(const Sst& sst) {
  if (sst.kind == FilterKind::kBesideRocksdb || IsRocksdbs(sst.kind)) {
    return kBlocksRocksdb;
  }
  const auto partition_key = PartitionKeyOfFilterName(sst.policy);
  if (sst.kind != FilterKind::kCassandra || !partition_key) {
    return std::nullopt;
  }
  return partition_key->is_whole() ? ""
                                   : kPartitionKey + partition_key->spelling();
}

// The options with which our policy asks the filters of the most rows.
std::string BestOptions(const std::vector<Sst>& ssts) {
  std::map<std::string, uint64_t> rows;
  for (const Sst& sst : ssts) {
    if (const auto options = OptionsThatAsk(sst)) {
      rows[*options] += sst.entries;
    }
  }
  const auto best = std::max_element(
      rows.begin(), rows.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == rows.end() ? "" : best->first;
}

// Whether our policy wrote the filter: `filter` and `bottommost_filter` let it
// write RocksDB's own.
bool IsOfOurPolicy(const Sst& sst) {
  return IsOurs(sst.kind) || (IsRocksdbs(sst.kind) &&
                              PartitionKeyOfFilterName(sst.policy).has_value());
}

// The form of the newest filter of our policy, which tells what the program had
// set when it wrote it; kCassandra if there is none.
PolicyInUse FormOfNewest(const std::vector<Sst>& ssts) {
  const Sst* newest = nullptr;
  for (const Sst& sst : ssts) {
    if (IsOfOurPolicy(sst) &&
        (newest == nullptr || sst.file.number > newest->file.number)) {
      newest = &sst;
    }
  }
  return newest != nullptr && newest->kind != FilterKind::kCassandra
             ? PolicyInUse::kBesideRocksdb
             : PolicyInUse::kCassandra;
}

void SetPolicies(Family* family) {
  const FamilyOptions& options = family->options;
  const std::string best = BestOptions(family->ssts);
  family->advised = std::string(kPolicyName) + ":10" + best;
  family->form_is_guessed = options.IsOn() && HidesItsSettings(options);
  family->in_use = family->form_is_guessed ? FormOfNewest(family->ssts)
                                           : PolicyInUseOf(options);
  family->ours = options.IsOn()           ? family->in_use
                 : best == kBlocksRocksdb ? PolicyInUse::kBesideRocksdb
                                          : PolicyInUse::kCassandra;
}

// The name of the filters that `family.ours` asks if it is kCassandra.
std::string FilterNameOf(const Family& family) {
  if (family.options.IsOn()) {
    return FilterNameFor(family.options.settings.partition_key);
  }
  for (const Sst& sst : family.ssts) {
    const auto options = OptionsThatAsk(sst);
    if (options &&
        std::string(kPolicyName) + ":10" + *options == family.advised) {
      return sst.policy;
    }
  }
  return kPolicyName;
}

// How else than by a compaction the filters of the other form of ours, and
// RocksDB's, can be used: by the other value of `blocks`, if that asks the
// filters of more rows. Otherwise "".
std::string OrChangeBlocks(const Family& family) {
  const bool beside = family.ours == PolicyInUse::kBesideRocksdb;
  const PolicySettings& settings = family.options.settings;
  // Otherwise the policy with the other value would be refused.
  const bool can_change = settings.partition_key.is_whole() &&
                          settings.filter == FilterType::kCassandra &&
                          settings.bottommost_filter == FilterType::kCassandra;
  if (!family.options.IsOn() || !can_change) {
    return "";
  }
  uint64_t rows_now = 0;
  uint64_t rows_then = 0;
  uint64_t lost = 0;
  for (const Sst& sst : family.ssts) {
    const auto options = OptionsThatAsk(sst);
    if (!options || sst.entries == 0) {
      continue;
    }
    const bool is_asked = *options == (beside ? kBlocksRocksdb : "");
    const bool would_be = *options == (beside ? "" : kBlocksRocksdb);
    rows_now += is_asked ? sst.entries : 0;
    rows_then += would_be ? sst.entries : 0;
    lost += is_asked ? 1 : 0;
  }
  if (rows_then <= rows_now) {
    return "";
  }
  return std::string("; or ") +
         (beside ? "leave out blocks=rocksdb" : "set blocks=rocksdb") +
         ", which uses it at once" +
         (lost > 0
              ? ", but no longer the filter of " +
                    Count(lost, "other SST file") + " until that is compacted"
              : "");
}

struct Judge {
  const Family& family;
  const std::string filter_name;
  const std::string or_change_blocks;

  std::string Before(const char* change) const {
    return family.options.IsOn()
               ? std::string("written before ") + change + ": "
               : kSwitchOnFirst;
  }

  void OtherPolicy(const std::string& fault, Sst* sst) const {
    SetFault(FilterState::kOtherPolicy, fault,
             Before("the policy was switched on"), sst);
  }

  // RocksDB cannot read the filter, or it is of a policy that we do not know.
  void Unknown(Sst* sst) const {
    const bool may_be_asked = PartitionKeyOfFilterName(sst->policy) ||
                              (family.ours == PolicyInUse::kBesideRocksdb &&
                               sst->state == FilterState::kDamaged);
    if (!may_be_asked) {
      OtherPolicy("a filter of the policy '" + sst->policy + "'", sst);
    }
  }

  void Known(Sst* sst) const {
    const auto partition_key = PartitionKeyOfFilterName(sst->policy);
    const bool is_cassandra = sst->kind == FilterKind::kCassandra;
    if (is_cassandra && partition_key &&
        (family.ours == PolicyInUse::kCassandra ? sst->policy != filter_name
                                                : !partition_key->is_whole())) {
      SetFault(FilterState::kOtherPartitionKeys,
               "a filter of other partition keys, '" + sst->policy +
                   "', which is not used",
               Before("partition_key was changed"), sst);
    } else if (UseOf(sst->kind, family.ours) != FilterUse::kNotSeen) {
      if (IsRocksdbs(sst->kind) && sst->fault.empty()) {
        sst->state = FilterState::kRocksdbs;
      }
    } else if (IsOurs(sst->kind)) {
      SetFault(FilterState::kOtherForm,
               std::string("a filter of blocks=") +
                   (is_cassandra ? "cassandra" : "rocksdb") +
                   ", which is not used with blocks=" +
                   (is_cassandra ? "rocksdb" : "cassandra"),
               Before("blocks was changed"), sst);
      sst->remedy += or_change_blocks;
    } else {
      OtherPolicy(NameOfRocksdbs(sst->kind) +
                      ", which is not used with blocks=cassandra",
                  sst);
      sst->remedy += or_change_blocks;
    }
  }
};

}  // namespace

void JudgeFilters(Family* family) {
  SetPolicies(family);
  const Judge judge = {*family, FilterNameOf(*family), OrChangeBlocks(*family)};
  for (Sst& sst : family->ssts) {
    if (sst.entries > 0 && sst.IsThere() && sst.kind != FilterKind::kNone) {
      sst.kind == FilterKind::kUnknown ? judge.Unknown(&sst)
                                       : judge.Known(&sst);
    }
    const bool is_rocksdbs = sst.state == FilterState::kRocksdbs;
    sst.filter.num_rocksdbs = is_rocksdbs ? 1 : 0;
    sst.filter.num_healthy = sst.fault.empty() && !is_rocksdbs &&
                                     sst.state != FilterState::kNoneExpected
                                 ? 1
                                 : 0;
  }
}

}  // namespace cassandra_bloom::tools
