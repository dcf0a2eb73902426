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

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/sst_filters/filter_witness.h"
#include "tools/sst_filters/open_database.h"
#include "tools/sst_filters/recorded_options.h"

namespace cassandra_bloom::tools {

enum class Use {
  kUsed,
  kNotUsed,    // A fault.
  kOnPurpose,  // The options give the file no filter, or RocksDB does not ask.
  kNoKeys,     // There is no key to ask the filter for.
  kNotAsked,   // doctor could not find out.
};

struct Verdict {
  Use use = Use::kUsed;
  std::string why;     // Empty if there is nothing to say.
  std::string remedy;  // Empty if there is nothing to do.
};

// An SST file.
struct ExaminedSst {
  std::string name;  // Such as "000123.sst".
  int level = 0;
  // No file holds older versions of its keys. RocksDB calls such a file
  // bottommost when it writes it. Only set if there is no filter.
  bool is_bottommost = false;
  // RocksDB asks no filter here if optimize_filters_for_hits is on.
  bool is_in_last_run = false;

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

struct ExaminedFamily {
  std::string name;
  FamilyOptions options;
  std::map<int, uint64_t> files_in_level;  // Key: the level.
  // In the order of levels. Fewer than in `files_in_level` if they are a
  // sample, and none if `options.not_asked` says why.
  std::vector<ExaminedSst> ssts;
};

// Throws Unusable if the database cannot be opened.
std::vector<ExaminedFamily> Examine(const DatabaseOnDisk& what);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXAMINE_H_
