// SPDX-License-Identifier: Apache-2.0

// Functions that inspect policies, options and messages in tests.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_POLICY_PROBE_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_POLICY_PROBE_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

using PolicyPtr = std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>;

// Registers cassandra_bloom in RocksDB's default registry, which lasts as long
// as the process.
void RegisterInDefaultRegistry();

// Returns all combinations of RocksDB's settings for parsing options.
std::vector<ROCKSDB_NAMESPACE::ConfigOptions> AllConfigOptions();
std::string ToString(const ROCKSDB_NAMESPACE::ConfigOptions& config);

// Returns an OPTIONS file with this filter_policy.
std::string OptionsFileText(const std::string& policy);

// Returns the filter policy of a block-based table, or null.
PolicyPtr FilterPolicyOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options);
void SetFilterPolicy(PolicyPtr policy,
                     ROCKSDB_NAMESPACE::ColumnFamilyOptions* cf_options);

std::string IdOf(const PolicyPtr& policy);

// Where RocksDB creates an SST file. Level -1 is unknown, as in SstFileWriter.
struct Place {
  ROCKSDB_NAMESPACE::CompactionStyle style =
      ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  int level = -1;
  bool is_bottommost = false;
  bool is_flush = false;
  bool is_partition_of_prefixes = false;
};

// Returns the filter block of 1,000 keys, "(no builder)" if the policy
// builds no filter, or "(no policy)" for null.
std::string BuildBlock(const PolicyPtr& policy, const Place& place = {});

int32_t NumProbes(const std::string& block);
int32_t NumWords(const std::string& block);

struct RefusedString {
  const char* text;
  const char* value;  // Part of the message that repeats the value.
  const char* range;  // Part of the message that says what is valid.
};

// Returns whether `message` says why `refused` was refused.
::testing::AssertionResult Explains(const std::string& message,
                                    const RefusedString& refused);

// Returns whether `status` is InvalidArgument and says why `refused` was
// refused.
::testing::AssertionResult IsRefusal(const ROCKSDB_NAMESPACE::Status& status,
                                     const RefusedString& refused);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_POLICY_PROBE_H_
