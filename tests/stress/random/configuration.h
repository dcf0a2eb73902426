// SPDX-License-Identifier: Apache-2.0

// What a database is made of: drawn from a seed, and written as RocksDB's own
// options strings, so that what is printed is what was used.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/version.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/stress/random/draws.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

constexpr int kRelease = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;

// The policy in the place of ours: none, or the built-in filter.
enum class Stand { kOurs, kBuiltin };

struct PolicyChoice {
  std::string ours;     // As a filter_policy string.
  std::string builtin;  // With about as many bits per key.

  const std::string& In(Stand stand) const {
    return stand == Stand::kOurs ? ours : builtin;
  }
};

enum class CompactionStyle { kLevel, kUniversal, kFifo };

// What a column family keeps for all its life, and below what a reopening may
// change.
struct FamilyConfiguration {
  std::string name;
  const PartitionLayout* layout = nullptr;  // Of its keys.
  std::string comparator;
  bool is_reverse = false;
  bool has_timestamps = false;
  bool has_merges = false;
  bool has_single_deletes = false;
  bool has_range_deletes = false;
  bool has_blobs = false;
  CompactionStyle style = CompactionStyle::kLevel;
  bool has_dynamic_levels = false;
  int num_levels = 1;
  std::string options;

  std::string prefix_extractor;  // Empty: none.
  std::string table_options;
  PolicyChoice policy;

  std::string OptionsString(Stand stand) const;
};

struct Configuration {
  enum class Kind { kPlain, kTransactions, kOptimistic };

  Kind kind = Kind::kPlain;
  bool has_wal = true;
  std::string options;  // Of the database.
  std::vector<FamilyConfiguration> families;

  std::string ToString(Stand stand) const;
};

// The longest prefix of a fixed or capped length.
constexpr size_t kLongestPrefix = 16;

Configuration DrawConfiguration(Draws* draws);

// Another policy, prefix extractor and form of table, all of which a database
// may have from one opening to the next.
void ChangeFamily(Draws* draws, FamilyConfiguration* family);
PolicyChoice DrawPolicy(const FamilyConfiguration& family, Draws* draws);

rocksdb::ColumnFamilyOptions ColumnFamilyOptionsOf(
    const FamilyConfiguration& family, Stand stand);
rocksdb::DBOptions DbOptionsOf(const Configuration& configuration);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CONFIGURATION_H_
