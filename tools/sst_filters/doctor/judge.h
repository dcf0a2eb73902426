// SPDX-License-Identifier: Apache-2.0

// Says of each SST file whether RocksDB uses its filter and, if not, why and
// what to do. Sums up the levels.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_JUDGE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_JUDGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sst_filters/doctor/examine.h"

namespace cassandra_bloom::tools {

enum class Use {
  kUsed,
  kNotUsed,    // A fault.
  kOnPurpose,  // The options give the file no filter, or RocksDB does not ask.
  kNoKeys,     // There is no key to ask the filter for.
  kNotAsked,   // doctor could not find out.
};

// Returns the name of `use` in the JSON.
const char* NameOf(Use use);

// Every remedy that a compaction brings about has these words.
inline constexpr char kCompactIt[] = "compact it";

struct JudgedSst {
  ExaminedSst sst;
  Use use = Use::kUsed;
  std::string why;     // Empty if the filter is used.
  std::string remedy;  // Empty if there is nothing to do.

  // Returns the share of absent keys for which RocksDB reads the file.
  double Rate() const;
};

// The sums of a level. Those of a sample are scaled to the whole level.
struct LevelSums {
  uint64_t files = 0;
  double examined_files = 0;  // The others are not in the sample.
  double keys = 0;
  double filter_bytes = 0;
  double bytes_of_blocks = 0;  // Without the indexes of partitions.
  double filter_keys = 0;
  // The mean share of absent keys that pass, weighted by the keys of the files.
  double rate = 1;
  uint64_t asked_by_get = 0;
  uint64_t asked_by_seek = 0;
  // In a look-up of a key that is in no file, but in the range of every sorted
  // run. Each file of level 0 is a run, and each deeper level is one.
  double false_positives = 0;

  double BitsPerKey() const {
    return filter_keys > 0 ? 8 * filter_bytes / filter_keys : 0;
  }
};

struct JudgedFamily {
  ExaminedFamily family;  // Its `ssts` are moved to the member below.
  std::vector<JudgedSst> ssts;
  std::map<int, LevelSums> levels;
  LevelSums all;

  // Whether RocksDB asks filters for prefixes alone. Their rates, measured with
  // random keys, are then those of absent prefixes.
  bool asks_only_prefixes() const;
  // The level into which DB::CompactFiles may write files of `level`, without
  // damage to the shape of the levels. nullopt if it may not be used.
  std::optional<int> OutputLevelFor(int level) const;
  int last_level() const { return levels.empty() ? 0 : levels.rbegin()->first; }
};

JudgedFamily Judge(ExaminedFamily family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_JUDGE_H_
