// SPDX-License-Identifier: Apache-2.0

// The random configuration of a database. Most of it is in RocksDB's own
// options strings, which are also printed. So a printed configuration is the
// configuration in use.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/version.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/stress/random/draws.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

constexpr int kRelease = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;

// Which member of PolicyChoice to use. kOurs is mostly a policy of
// cassandra_bloom. kBuiltin is always RocksDB's own policy, or none.
enum class Stand { kOurs, kBuiltin };

struct PolicyChoice {
  std::string ours;     // A filter_policy string.
  std::string builtin;  // One of RocksDB's, for the same purpose.

  const std::string& In(Stand stand) const {
    return stand == Stand::kOurs ? ours : builtin;
  }
};

// `partition_key` says where the partition key is in keys (policy_choice.cc).
PolicyChoice DrawPolicy(const std::string& partition_key, Draws* draws);

// The members after the empty line may change during a trial. The other members
// never change.
struct FamilyConfiguration {
  std::string name;
  const PartitionLayout* layout = nullptr;
  std::string comparator;
  bool is_reverse = false;
  bool has_timestamps = false;
  bool has_merges = false;
  bool has_range_deletes = false;
  std::string options;
  std::shared_ptr<rocksdb::Cache> kept_cache;  // The same for all families.

  // Whether the block cache is kept_cache, which may contain blocks and filter
  // readers of earlier openings.
  bool uses_kept_cache = false;
  std::string prefix_extractor;  // Empty if there is no extractor.
  std::string table_options;
  PolicyChoice policy;

  std::string OptionsString(Stand stand) const;
};

struct Configuration {
  bool has_wal = true;
  std::string options;
  std::vector<FamilyConfiguration> families;

  std::string ToString(Stand stand) const;
};

// The longest prefix of a fixed or capped prefix extractor. In bytes.
constexpr size_t kLongestPrefix = 16;

// `scale` is that of KeyPool.
Configuration DrawConfiguration(uint64_t scale, Draws* draws);

// Draws another policy for each family, and sometimes another prefix extractor
// and table format.
void ChangeFamilies(Draws* draws, Configuration* configuration);

rocksdb::ColumnFamilyOptions ColumnFamilyOptionsOf(
    const FamilyConfiguration& family, Stand stand);
rocksdb::DBOptions DbOptionsOf(const Configuration& configuration);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_
