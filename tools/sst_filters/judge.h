// SPDX-License-Identifier: Apache-2.0

// Says of each SST file whether RocksDB uses its filter and, if not, why and
// what to do.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.
// Tested in tests/sst_filters/doctor/block_cache_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/database/rocksdb_log.h"
#include "tools/sst_filters/examine.h"

namespace cassandra_bloom::tools {

// Whether RocksDB uses a filter. The worst is last.
enum class Use {
  kUsed,
  kOnPurpose,  // The options give the file no filter, or RocksDB does not ask.
  kNoKeys,     // There is no key to ask the filter for.
  kMayBeDropped,  // The block cache may have no room for it.
  kNotAsked,      // doctor could not find out.
  kNotUsed,       // A fault. What could not be asked must not hide it.
};

// The names in the JSON.
NLOHMANN_JSON_SERIALIZE_ENUM(Use, {{Use::kUsed, "used"},
                                   {Use::kNotUsed, "not_used"},
                                   {Use::kOnPurpose, "none_on_purpose"},
                                   {Use::kNoKeys, "no_keys"},
                                   {Use::kMayBeDropped, "may_be_dropped"},
                                   {Use::kNotAsked, "not_asked"}})

struct Verdict {
  Use use = Use::kUsed;
  std::string why = "";     // Empty if there is nothing to say.
  std::string remedy = "";  // Empty if there is nothing to do.
  bool compact = false;     // To compact the file helps.

  // The share of absent keys for which RocksDB reads the file. Not set if it is
  // not known.
  std::optional<double> rate = std::nullopt;
};

struct JudgedFamily : ExaminedFamily {
  std::vector<Verdict> verdicts;     // Of each element of `ssts`.
  std::vector<Verdict> others;       // About the column family.
  std::optional<LoggedCache> cache;  // What LOG says of its block cache.
};

// Returns whether filters, or partitions of filters, are in the block cache.
inline bool HasFiltersInCache(const Family& family) {
  return !family.table.no_block_cache &&
         (family.table.cache_index_and_filter_blocks ||
          family.table.partition_filters);
}

// Where a file would be if it were written anew into the level that it is in.
struct FilePlace {
  int level = 0;
  bool is_bottommost = false;

  bool operator<(const FilePlace& other) const {
    return std::pair(level, is_bottommost) <
           std::pair(other.level, other.is_bottommost);
  }
};

// Whether it is bottommost is a guess: RocksDB decides it when it writes a
// file, with the files that are there then.
FilePlace FilePlaceOf(const ExaminedFamily& family, const ExaminedSst& sst);

// Returns what RocksDB uses to build the filter of a file, or null if the
// policy gives the file none.
std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family,
    const FilePlace& place);

JudgedFamily Judge(const ExaminedFamily& family, const RocksdbLog& log);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_
