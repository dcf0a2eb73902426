// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/filters/policy_in_use.h"

#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom::tools {
namespace {

bool StartsWith(const std::string& text, const char* start) {
  return text.rfind(start, 0) == 0;
}

// Returns whether `policy` is a name of RocksDB's own policies in OPTIONS files
// (table/block_based/filter_policy.cc). Only the start is compared, because
// RocksDB's C interface writes only the first part of the name.
bool IsRocksdbsPolicy(const std::string& policy) {
  return StartsWith(policy, "bloomfilter") ||
         StartsWith(policy, "ribbonfilter") || StartsWith(policy, "rocksdb.");
}

}  // namespace

PolicyInUse PolicyInUseOf(const FamilyOptions& options) {
  if (options.IsOn()) {
    return options.settings.block_form == BlockForm::kBesideRocksdb
               ? PolicyInUse::kBesideRocksdb
               : PolicyInUse::kCassandra;
  }
  return options.HasNoPolicy() ? PolicyInUse::kNone
         : options.refused.empty() && IsRocksdbsPolicy(options.policy)
             ? PolicyInUse::kRocksdbs
             : PolicyInUse::kUnknown;
}

bool HidesItsSettings(const FamilyOptions& options) {
  return options.policy == kPolicyName;
}

FilterUse UseOf(FilterKind kind, PolicyInUse policy) {
  bool asked = false;
  switch (policy) {
    case PolicyInUse::kCassandra:
      asked = kind == FilterKind::kCassandra;
      break;
    case PolicyInUse::kBesideRocksdb:
      asked = kind == FilterKind::kBesideRocksdb || IsRocksdbs(kind);
      break;
    case PolicyInUse::kRocksdbs:
      if (kind == FilterKind::kBesideRocksdb) {
        return FilterUse::kEveryKeyMatches;  // block_form.h says why.
      }
      asked = IsRocksdbs(kind);
      break;
    case PolicyInUse::kNone:
    case PolicyInUse::kUnknown:
      break;
  }
  return asked ? FilterUse::kAsked : FilterUse::kNotSeen;
}

bool IsOurs(FilterKind kind) {
  return kind == FilterKind::kCassandra || kind == FilterKind::kBesideRocksdb;
}

bool IsRocksdbs(FilterKind kind) { return !NameOfRocksdbs(kind).empty(); }

std::string NameOfRocksdbs(FilterKind kind) {
  switch (kind) {
    case FilterKind::kRocksdbsBloom:
      return "RocksDB's Bloom filter";
    case FilterKind::kRocksdbsRibbon:
      return "RocksDB's Ribbon filter";
    case FilterKind::kRocksdbsOther:
      return "RocksDB's own filter";
    default:
      return "";
  }
}

}  // namespace cassandra_bloom::tools
