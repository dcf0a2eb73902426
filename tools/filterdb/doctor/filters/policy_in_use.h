// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: which filters RocksDB asks. That depends on the kind of the
// filter in the SST file and on the policy with which the database is opened.
//
// Tested in tests/filterdb/doctor/policy_in_use_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_POLICY_IN_USE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_POLICY_IN_USE_H_

#include <string>

#include "plugin/export/sst_file.h"
#include "tools/filterdb/doctor/files/options_file.h"

namespace cassandra_bloom::tools {

enum class PolicyInUse {
  kNone,
  kCassandra,      // Ours, with blocks=cassandra.
  kBesideRocksdb,  // Ours, with blocks=rocksdb.
  kRocksdbs,       // RocksDB's Bloom or Ribbon policy, which read alike.
  kUnknown         // Another policy, a refused one, or not known.
};

// The policy that the OPTIONS file names.
PolicyInUse PolicyInUseOf(const FamilyOptions& options);

// Whether the text of our policy leaves open what its settings are: RocksDB's C
// interface writes this text for any of them (PolicyString).
bool HidesItsSettings(const FamilyOptions& options);

enum class FilterUse {
  kNotSeen,          // RocksDB reads the file without its filter.
  kEveryKeyMatches,  // RocksDB asks the filter, and reads it as such a one.
  kAsked,
};

// `kind`: kNone and kUnknown are not seen by any policy.
FilterUse UseOf(FilterKind kind, PolicyInUse policy);

bool IsOurs(FilterKind kind);
bool IsRocksdbs(FilterKind kind);

// For example "RocksDB's Bloom filter"; "" unless IsRocksdbs.
std::string NameOfRocksdbs(FilterKind kind);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_POLICY_IN_USE_H_
