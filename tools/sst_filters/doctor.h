// SPDX-License-Identifier: Apache-2.0

// The steps of doctor: examine (examine.cc), judge (judge.cc), measure what
// filters cost and would cost (costs.cc), and say it (doctor.cc as JSON,
// doctor_report.cc as text).
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/database/open_database.h"
#include "tools/sst_filters/database/rocksdb_log.h"

namespace cassandra_bloom::tools {

// ---- Examine ----

// What the filter of one SST file was asked.
struct FilterAnswers {
  // While the filter was measured: its blocks (partitions, if there are
  // several), and the share of random keys that pass, weighted by the sizes of
  // the blocks.
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  uint64_t largest_block = 0;
  double bytes_times_rate = 0;
  // What RocksDB asked.
  uint64_t by_get = 0;
  uint64_t by_seek = 0;

  double Rate() const {
    return bytes == 0 ? 1 : bytes_times_rate / static_cast<double>(bytes);
  }
};

// Whether RocksDB uses a filter.
enum class Use {
  kUsed,
  kOnPurpose,  // The options give the file no filter, or RocksDB does not ask.
  kNoKeys,     // There is no key to ask the filter for.
  kMayBeDropped,  // The block cache may have no room for it.
  kNotAsked,      // doctor could not find out.
  kNotUsed,       // A fault.
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

// An SST file.
struct ExaminedSst {
  int level = 0;
  rocksdb::SstFileMetaData file;

  // Why the file could not be read, and why no key could be looked up in it.
  // Empty if it could.
  std::string not_read;
  std::string not_looked_up;

  // From the file's properties.
  uint64_t keys = 0;
  uint64_t filter_keys = 0;      // 0 if there is no filter.
  std::string policy;            // That was set when the file was written.
  std::string prefix_extractor;  // That was set when the file was written.
  bool holds_keys = false;       // The filter holds whole keys.
  // The blocks that hold keys, without the index of partitions.
  uint64_t filter_bytes = 0;

  // Whether there was an absent key in the file's range to look up, and one
  // with a prefix to seek.
  bool was_looked_up = false;
  bool was_sought = false;
  FilterAnswers answers;

  // Judge sets these. Whether the file would be bottommost if it were written
  // anew into its level is a guess: RocksDB decides it when it writes a file,
  // with the files that are there then.
  bool is_bottommost = false;
  Verdict verdict;
};

// The SST files are in the order of levels. There are none if the tables are
// not block-based.
struct ExaminedFamily : Family {
  std::vector<ExaminedSst> ssts;

  // Judge sets these.
  std::vector<Verdict> others;       // About the column family.
  std::optional<LoggedCache> cache;  // What LOG says of its block cache.
};

struct ExaminedDatabase {
  std::vector<ExaminedFamily> families;
  std::string log_dir;  // DBOptions::db_log_dir.
};

// Asks RocksDB about the filters of a database. How good a filter is: each SST
// file is opened by itself, and its filter asked for random keys. Whether
// RocksDB uses it is another question: only a database knows levels and
// optimize_filters_for_hits, and with another prefix extractor than the file's
// RocksDB opens a filter and never asks it. So the database is opened
// read-only, and RocksDB looks for keys that no file has (Get) and, if there is
// a prefix extractor, seeks them.
//
// Throws Unusable if the database cannot be opened.
ExaminedDatabase Examine(const DatabaseOnDisk& what);

// Returns the share of `count` random keys of 16 bytes that pass.
double RateOf(uint64_t count, uint64_t seed, rocksdb::FilterBitsReader* reader);

// ---- Judge ----

// Says of each SST file whether RocksDB uses its filter and, if not, why and
// what to do.
void Judge(const RocksdbLog& log, ExaminedFamily* family);
// Whether only LOG files can tell if a filter policy was dropped.
bool NeedsAllLogs(const ExaminedFamily& family);

// Returns whether filters, or partitions of filters, are in the block cache.
bool HasFiltersInCache(const Family& family);

// Returns what RocksDB uses to build the filter of a file, or null if the
// policy gives the file none.
std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family, int level,
    bool is_bottommost);

// ---- Measure ----

// Returns an object: the sums of each level and of all, and what other settings
// would give, with a row for each of some other policies, what the files have
// now, and notes, or less if nothing can be said or is wanted. The rows are
// those of files that are written anew into the levels that they are in: the
// policies build filters, which are then asked, and nothing is computed.
// `absent_share` is that of look-ups that found no key, if LOG says it. Shows
// its progress.
Json CostsOf(const ExaminedFamily& family, std::optional<double> absent_share,
             bool are_others_wanted);

// ---- Say it ----

// The answer of doctor is one JSON value. These print the text from it.
void PrintFamily(const Json& family);
void PrintLog(const Json& log);

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_H_
