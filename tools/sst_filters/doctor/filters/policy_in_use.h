// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: which filters RocksDB asks. This depends on the filter in
// the SST file, and on the policy with which the database is opened.
//
// Tested in tests/sst_filters/policy_in_use_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_POLICY_IN_USE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_POLICY_IN_USE_H_

#include <string>

#include "plugin/export/sst_file.h"
#include "tools/sst_filters/doctor/files/options_file.h"

namespace cassandra_bloom::tools {

enum class PolicyInUse {
  kNone,
  kCassandra,      // cassandra_bloom with blocks=cassandra.
  kBesideRocksdb,  // cassandra_bloom with blocks=rocksdb.
  kRocksdbs,       // RocksDB's Bloom or Ribbon policy.
  kUnknown         // Another policy, a refused one, or not known.
};

PolicyInUse PolicyInUseOf(const FamilyOptions& options);

// Returns whether the OPTIONS file has the name of cassandra_bloom without its
// settings. RocksDB's C interface always writes the name alone.
bool HidesItsSettings(const FamilyOptions& options);

enum class FilterUse {
  kNotSeen,          // RocksDB reads the file without its filter.
  kEveryKeyMatches,  // RocksDB asks the filter, and it passes every key.
  kAsked,
};

// Returns kNotSeen for the kinds kNone and kUnknown.
FilterUse UseOf(FilterKind kind, PolicyInUse policy);

bool IsOurs(FilterKind kind);
bool IsRocksdbs(FilterKind kind);

// Returns, for example, "RocksDB's Bloom filter". Returns "" if IsRocksdbs is
// false.
std::string NameOfRocksdbs(FilterKind kind);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_POLICY_IN_USE_H_
