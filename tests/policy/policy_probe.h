// SPDX-License-Identifier: Apache-2.0

// Functions that make and inspect policies, options and messages in tests.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_POLICY_PROBE_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_POLICY_PROBE_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

using TransformPtr = std::shared_ptr<const rocksdb::SliceTransform>;

TransformPtr TransformFor(const std::string& partition_key);

// RocksDB's settings for parsing options: one that refuses what it does not
// know, and one that ignores as much as RocksDB can ignore.
std::vector<rocksdb::ConfigOptions> StrictAndLenient();

// Reads an OPTIONS file with this filter_policy, and with these lines among the
// options of the column family.
rocksdb::Status LoadOptionsFile(const rocksdb::ConfigOptions& config,
                                const std::string& policy,
                                const std::string& family_lines,
                                rocksdb::ColumnFamilyOptions* family);

// Reads the newest OPTIONS file of a database.
rocksdb::Options LatestOptions(const rocksdb::ConfigOptions& config,
                               const TestDb& db);

// Returns the filter policy of a block-based table, or null.
PolicyPtr FilterPolicyOf(const rocksdb::ColumnFamilyOptions& cf_options);

// Of a policy or a prefix extractor.
template <typename Pointer>
std::string IdOf(const Pointer& object) {
  return object == nullptr ? "(none)" : object->GetId();
}

// Where RocksDB creates an SST file. Level -1 is unknown, as in SstFileWriter.
struct Place {
  rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;
  int level = -1;
  bool is_bottommost = false;
  bool is_flush = false;
  bool is_partition_of_prefixes = false;
  uint32_t format_version = 5;
};

// Returns the filter block of the keys "key0", "key1" and so on, "(no builder)"
// if the policy builds no filter, or "(no policy)" for null.
std::string BuildBlock(const PolicyPtr& policy, const Place& place = {},
                       size_t num_keys = 1000);

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
::testing::AssertionResult IsRefusal(const rocksdb::Status& status,
                                     const RefusedString& refused);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_POLICY_PROBE_H_
