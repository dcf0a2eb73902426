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
#include <string>
#include <vector>

#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/database/open_database.h"

namespace cassandra_bloom::tools {

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

// An SST file.
struct ExaminedSst {
  int level = 0;
  rocksdb::SstFileMetaData file;
  double weight = 1;  // How many files of the level it stands for in a sample.

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
};

// The SST files are in the order of levels. There are fewer than in `files` if
// they are a sample, and none if the tables are not block-based.
struct ExaminedFamily : Family {
  std::vector<ExaminedSst> ssts;
};

struct ExaminedDatabase {
  std::vector<ExaminedFamily> families;
  std::string log_dir;  // DBOptions::db_log_dir.
};

// Throws Unusable if the database cannot be opened.
ExaminedDatabase Examine(const DatabaseOnDisk& what);

// Returns the share of `count` random keys of 16 bytes that pass.
double RateOf(uint64_t count, uint64_t seed, rocksdb::FilterBitsReader* reader);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXAMINE_H_
