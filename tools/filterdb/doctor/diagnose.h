// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: how well the filters of a database work, and what to change.
//
// A read of a key that is in no SST file, but in the range of each sorted run,
// asks each run once: each file of level 0, and in each deeper level the file
// whose range has the key. Its expected number of false positives is
//
//   sum over runs of (sum over files of entries * rate) / (sum of entries)
//
// Each false positive is a block read in vain. The rate of a file is that of
// its filter (PassRate). The rate is 1 if RocksDB asks no filter of the file:
// if the file has none or one that the policy does not use, or is in the last
// level with optimize_filters_for_hits.
//
// Tested in tests/filterdb/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_DIAGNOSE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_DIAGNOSE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/family.h"
#include "tools/filterdb/doctor/files/database_files.h"
#include "tools/filterdb/doctor/files/statistics_text.h"

namespace cassandra_bloom::tools {

// The bits of the filters of one level, or of all levels, and the false
// positives that result.
struct Allocation {
  double bits = 0;
  double false_positives = 0;  // Per read of an absent key, on average.
  bool is_at_most = false;     // As in PassRate.

  void Add(const Allocation& other) {
    bits += other.bits;
    false_positives += other.false_positives;
    is_at_most |= other.is_at_most;
  }
};

struct LevelForecast {
  uint64_t runs = 0;
  double keys = 0;
  Allocation as_it_is;  // The bits now, with our policy on.
  // The same total of bits in Bloom filters like Cassandra's, spread evenly
  // (`uniform`) and as Monkey spreads it (level_allocation.h).
  Allocation uniform;
  Allocation monkey;
  std::optional<Allocation> mix;  // With FamilyReport::mix_policy.

  void Add(const LevelForecast& other);
  double BitsPerKey(const Allocation& allocation) const {
    return keys > 0 ? allocation.bits / keys : 0;
  }
};

// What is wrong, or could be better, and what to do about it.
struct Diagnosis {
  std::string what;
  std::string to_do;
  bool fault = true;                    // If false, it is only advice.
  std::vector<std::string> files = {};  // The SST files that it is about.
};

bool HasFault(const std::vector<Diagnosis>& diagnoses);

// What doctor says about a column family.
struct FamilyReport {
  Family family;
  std::map<int, LevelForecast> levels;
  LevelForecast all;
  uint64_t filter_bytes = 0;
  // The false positives with the policy of the OPTIONS file. nullopt if that is
  // neither ours nor RocksDB's own: what its filters do is unknown.
  std::optional<Allocation> in_use;
  std::string mix_policy;  // Empty if there is no forecast of it (advice.h).
  std::map<FilterState, uint64_t> files;
  std::vector<Diagnosis> diagnoses;
};

FamilyReport DiagnoseFamily(const Family& family);

// Finds a torn MANIFEST, and SST files that the MANIFEST does not name.
std::vector<Diagnosis> DiagnoseFiles(const DatabaseFiles& files);

// What RocksDB's statistics say about the filters, compared with what is
// expected.
struct Observed {
  FilterQuestions questions;
  // The average false positive rate of the filters that a read of an absent key
  // asks. Filters that RocksDB does not ask are left out. nullopt if RocksDB
  // asks none that we know.
  std::optional<double> expected_rate;
  // True if all filters hold whole keys. With other filters, RocksDB counts
  // absent rows of present partitions as false positives.
  bool whole_keys = true;
  std::optional<Diagnosis> diagnosis;
};

Observed Compare(const FilterQuestions& questions,
                 const std::vector<FamilyReport>& families);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_DIAGNOSE_H_
