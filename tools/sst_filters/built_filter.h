// SPDX-License-Identifier: Apache-2.0

// What a filter policy gives an SST file, found out by letting it build one.
//
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_BUILT_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_BUILT_FILTER_H_

#include <rocksdb/filter_policy.h>

#include <memory>

#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/examine.h"

namespace cassandra_bloom::tools {

// Where a file would be if it were written anew into the level that it is in.
struct FilePlace {
  int level = 0;
  bool is_bottommost = false;

  bool operator<(const FilePlace& other) const {
    return level != other.level ? level < other.level
                                : is_bottommost < other.is_bottommost;
  }
};

// Whether it is bottommost is a guess: RocksDB decides it when it writes a
// file, with the files that are there then.
FilePlace FilePlaceOf(const ExaminedFamily& family, const ExaminedSst& sst);

// Returns whether the file is the last one: no deeper level has a file and, in
// level 0, it is the oldest. RocksDB asks no filter there if
// optimize_filters_for_hits is on (Version::IsFilterSkipped in
// db/version_set.cc).
bool IsLast(const ExaminedFamily& family, const ExaminedSst& sst);

// Returns what RocksDB uses to build the filter of a file, or null if the
// policy gives the file none.
std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family,
    const FilePlace& place);

// What a policy gives a file.
struct BuiltFilter {
  double bits_per_key = 0;
  double rate = 1;  // The share of absent keys that pass.

  // What the filter adds to the peak of memory while its file is written.
  double bytes_to_build = 0;
};

// How many keys BuildFilter adds at most, and what a key takes meanwhile.
constexpr double kMostKeysToBuild = 1'000'000;
constexpr double kMostBytesPerKeyToBuild = 30;

// Lets the policy build the filter of a file of `keys` keys, but of at most
// kMostKeysToBuild, and asks it. If filters are partitioned, builds one
// partition.
BuiltFilter BuildFilter(const rocksdb::FilterPolicy& policy,
                        const Family& family, const FilePlace& place,
                        double keys);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_BUILT_FILTER_H_
