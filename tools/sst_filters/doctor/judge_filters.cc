// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/judge_filters.h"

#include <algorithm>
#include <map>

#include "filterdb/commands/output.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kBlocksRocksdb[] = ":blocks:rocksdb";
constexpr char kPartitionKey[] = ":partition_key:";

// Returns the options with which cassandra_bloom uses this filter. Returns
// nullopt if cassandra_bloom never uses this filter.
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

// Returns the options with which cassandra_bloom uses the filters of the most
// rows.
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

// Returns whether cassandra_bloom wrote the filter. With its options `filter`
// and `bottommost_filter`, it also writes RocksDB's own filters.
bool IsOfOurPolicy(const Sst& sst) {
  return IsOurs(sst.kind) || (IsRocksdbs(sst.kind) &&
                              PartitionKeyOfFilterName(sst.policy).has_value());
}

// Returns the form of the newest filter that cassandra_bloom wrote, because
// this form shows what the program had set. Returns kCassandra if there is no
// such filter.
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

// Returns the policy name of the SST files whose filters cassandra_bloom uses.
// The name is used only if `family.ours` is kCassandra.
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

// Returns text for the end of a remedy that names another remedy: to change the
// option `blocks`. Returns "" if the change would not use the filters of more
// rows.
std::string OrChangeBlocks(const Family& family) {
  const bool beside = family.ours == PolicyInUse::kBesideRocksdb;
  const PolicySettings& settings = family.options.settings;
  // `blocks` cannot be changed if a setting needs its present value.
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

  // Judges a filter that RocksDB cannot read, or whose policy sst_filters
  // doctor does not know.
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
