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

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/sst_filters/doctor/family_options.h"
#include "tools/sst_filters/doctor/filter_witness.h"
#include "tools/sst_filters/doctor/opened_listing.h"

namespace cassandra_bloom::tools {

struct ExaminedSst {
  std::string name;  // Such as "000123.sst".
  int level = 0;
  // No file holds older versions of its keys. RocksDB calls such a file
  // bottommost when it writes it. Only set if there is no filter.
  bool is_bottommost = false;
  // RocksDB asks no filter here if optimize_filters_for_hits is on.
  bool is_in_last_run = false;
  // Neither its first nor its last key has a prefix.
  bool is_without_prefixes = false;
  // Of the file's properties, or of the database if the file was not asked.
  uint64_t keys = 0;

  // Why the file could not be read or its filter not be asked, or empty.
  std::string not_asked;

  // From the file's properties.
  uint64_t filter_bytes = 0;
  uint64_t filter_keys = 0;
  std::string policy;            // That was set when the file was written.
  std::string prefix_extractor;  // That was set when the file was written.
  bool holds_keys = false;       // The filter holds whole keys.

  std::string damage;  // RocksDB's message about a damaged filter, or empty.
  FilterAnswers answers;
  // The bytes that hold keys. `filter_bytes` has the index of the partitions,
  // too, which is large if those are small.
  double BytesOfBlocks() const {
    return static_cast<double>(answers.blocks > 0 ? answers.bytes
                                                  : filter_bytes);
  }
  // Whether there was an absent key in the file's range to look up, and one
  // with a prefix to seek.
  bool was_looked_up = false;
  bool was_sought = false;
};

struct ExaminedFamily {
  std::string name;
  FamilyOptions options;
  std::vector<ExaminedSst> ssts;  // In the order of levels.
  // More than are in `ssts` if those are a sample. Key: the level.
  std::map<int, uint64_t> files_in_level;
};

struct ExaminedDatabase {
  std::vector<ExaminedFamily> families;
  std::vector<std::string> left_out;  // Column families.
};

// Throws Unusable if the database cannot be opened.
ExaminedDatabase Examine(const DatabaseToExamine& what);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_H_
