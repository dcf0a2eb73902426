// SPDX-License-Identifier: Apache-2.0

// Asks RocksDB about the filters of a database.
//
// How good a filter is: each SST file is opened by itself, and its filter asked
// for random keys. Whether RocksDB uses it is another question: only a database
// knows levels and optimize_filters_for_hits, and with another prefix extractor
// than the file's RocksDB opens a filter and never asks it. So the database is
// opened read-only, and RocksDB looks for keys that no file has (Get) and, if
// there is a prefix extractor, seeks them.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/running_database_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXAMINE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXAMINE_H_

#include <rocksdb/metadata.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/sst_filters/filter_witness.h"
#include "tools/sst_filters/open_database.h"

namespace cassandra_bloom::tools {

// Whether RocksDB uses a filter. The worst is last.
enum class Use {
  kUsed,
  kOnPurpose,  // The options give the file no filter, or RocksDB does not ask.
  kNoKeys,     // There is no key to ask the filter for.
  kNotAsked,   // doctor could not find out.
  kNotUsed,    // A fault. What could not be asked must not hide it.
};

// The names in the JSON.
NLOHMANN_JSON_SERIALIZE_ENUM(Use, {{Use::kUsed, "used"},
                                   {Use::kNotUsed, "not_used"},
                                   {Use::kOnPurpose, "none_on_purpose"},
                                   {Use::kNoKeys, "no_keys"},
                                   {Use::kNotAsked, "not_asked"}})

struct Verdict {
  Use use = Use::kUsed;
  std::string why = "";     // Empty if there is nothing to say.
  std::string remedy = "";  // Empty if there is nothing to do.
  bool compact = false;     // The remedy is to compact the file.
};

// An SST file.
struct ExaminedSst {
  int level = 0;
  rocksdb::SstFileMetaData file;
  double weight = 1;  // How many files of the level it stands for in a sample.

  // Why the file could not be read or its filter not be asked, or empty.
  std::string not_asked;

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

  // Set by Judge. The rate is the share of absent keys for which RocksDB reads
  // the file.
  Verdict verdict;
  double rate = 1;
};

// If `not_asked` is not empty, it has no SST files. They are in the order of
// levels, and fewer than in `files` if they are a sample.
struct ExaminedFamily : Family {
  std::vector<ExaminedSst> ssts;
};

// Throws Unusable if the database cannot be opened.
std::vector<ExaminedFamily> Examine(const DatabaseOnDisk& what);

// Says of each SST file whether RocksDB uses its filter and, if not, why and
// what to do.
void Judge(ExaminedFamily* family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXAMINE_H_
