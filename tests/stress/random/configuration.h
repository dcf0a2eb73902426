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
#include "tests/stress/random/policy_choice.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

constexpr int kRelease = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;

enum class CompactionStyle { kLevel, kUniversal, kFifo };

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
  CompactionStyle style = CompactionStyle::kLevel;
  bool has_dynamic_levels = false;
  int num_levels = 1;
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

// Draws another policy, and sometimes another prefix extractor and table
// format.
void ChangeFamily(Draws* draws, FamilyConfiguration* family);

rocksdb::ColumnFamilyOptions ColumnFamilyOptionsOf(
    const FamilyConfiguration& family, Stand stand);
rocksdb::DBOptions DbOptionsOf(const Configuration& configuration);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_
