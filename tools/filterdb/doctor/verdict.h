// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: how well the filters of a database do, and what to change.
//
// A read of a key that is in no SST file, but in the range of each sorted run,
// asks each of them once: each file of level 0, and of each deeper level the
// file whose range has the key. So it meets
//
//   sum over runs of (sum over files of entries * rate) / (sum of entries)
//
// false positives, each of which is a block read for nothing. The rate of a
// file is that of its filter by the bits that are set; 1 if RocksDB does not
// ask it, because there is none or it is not ours.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_VERDICT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_VERDICT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/examine.h"
#include "tools/filterdb/doctor/statistics_text.h"

namespace cassandra_bloom::tools {

// Bits of filters, and what comes of them, on one level or all.
struct Allocation {
  double bits = 0;
  double false_positives = 0;  // Of a read of an absent key.

  void Add(const Allocation& other) {
    bits += other.bits;
    false_positives += other.false_positives;
  }
};

struct LevelForecast {
  uint64_t runs = 0;
  double keys = 0;
  Allocation as_it_is;  // With our policy on.
  // The same bits in all, spread in these ways (level_allocation.h).
  Allocation uniform;
  Allocation monkey;

  void Add(const LevelForecast& other);
  double BitsPerKey(const Allocation& allocation) const {
    return keys > 0 ? allocation.bits / keys : 0;
  }
};

struct Finding {
  std::string what;
  std::string to_do;
  bool fault = true;                    // Or advice.
  std::vector<std::string> files = {};  // SST files, if it is of some.
};

struct Verdict {
  std::map<int, LevelForecast> levels;
  LevelForecast all;
  uint64_t filter_bytes = 0;
  // Of a read of an absent key, with the policy of the OPTIONS file. None if
  // that is another one, whose filters are not known here.
  std::optional<double> false_positives;
  std::map<FilterState, uint64_t> files;
  std::vector<Finding> findings;

  bool fault() const;
};

Verdict Judge(const Family& family);

// What there is to say of the files that the MANIFEST does not name.
std::vector<Finding> Judge(const DatabaseFiles& files);

// What the statistics of the database say.
struct Observed {
  FilterQuestions questions;
  // Of the questions for absent keys, as a read of an absent key asks them:
  // filters that RocksDB does not ask are not among them. None if it asks none.
  std::optional<double> expected_rate;
  // For these RocksDB counts the absent rows of present partitions as false
  // positives.
  bool whole_keys = true;
  std::optional<Finding> finding;
};

Observed Compare(const FilterQuestions& questions,
                 const std::vector<Family>& families);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_VERDICT_H_
