// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: how well the filters of a database work, and what to
// change.
//
// A read of an absent key asks one filter in each sorted run. A sorted run is a
// file of level 0, or all files of a deeper level. The expected number of false
// positives of the read is
//
//   sum over runs of (sum over files of entries * rate) / (sum of entries)
//
// Here `entries` is a file's number of entries, and `rate` is the share of
// absent keys for which RocksDB reads the file. The rate is 1 if RocksDB asks
// no filter of the file.
//
// Tested in tests/sst_filters/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DIAGNOSE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DIAGNOSE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sst_filters/doctor/family.h"
#include "tools/sst_filters/doctor/files/database_files.h"
#include "tools/sst_filters/doctor/files/statistics_text.h"

namespace cassandra_bloom::tools {

// The bits of the filters of one level or of all levels, and the resulting
// false positives.
struct Allocation {
  double bits = 0;
  double false_positives = 0;  // Per read of an absent key, on average.
  bool is_at_most = false;     // `false_positives` is an upper limit.

  void Add(const Allocation& other) {
    bits += other.bits;
    false_positives += other.false_positives;
    is_at_most |= other.is_at_most;
  }
};

struct LevelForecast {
  uint64_t runs = 0;
  double keys = 0;
  Allocation as_it_is;  // The filters of today, with cassandra_bloom on.
  // The same total of bits, spread in other ways over Bloom filters. `uniform`
  // gives every key the same number of bits. `monkey` spreads the bits as
  // MonkeyBits does.
  Allocation uniform;
  Allocation monkey;
  std::optional<Allocation> mix;  // With the policy `mix_policy`.

  void Add(const LevelForecast& other);
  double BitsPerKey(const Allocation& allocation) const {
    return keys > 0 ? allocation.bits / keys : 0;
  }
};

// A fault, or something that could be better, and what to do about it.
struct Diagnosis {
  std::string what;
  std::string to_do;
  bool fault = true;                    // If false, this is only advice.
  std::vector<std::string> files = {};  // The SST files concerned.
};

bool HasFault(const std::vector<Diagnosis>& diagnoses);

struct FamilyReport {
  Family family;
  std::map<int, LevelForecast> levels;
  LevelForecast all;
  uint64_t filter_bytes = 0;
  // The false positives with the policy in the OPTIONS file. nullopt if this
  // policy is neither cassandra_bloom's nor RocksDB's own.
  std::optional<Allocation> in_use;
  std::string mix_policy;  // Empty if Advise has made no forecast.
  std::map<FilterState, uint64_t> files;
  std::vector<Diagnosis> diagnoses;
};

FamilyReport DiagnoseFamily(const Family& family);

// Returns a diagnosis if the MANIFEST has lost its end, or if there are SST
// files that the MANIFEST does not name.
std::vector<Diagnosis> DiagnoseFiles(const DatabaseFiles& files);

// RocksDB's statistics about the filters, compared with the expected rate.
struct Observed {
  FilterQuestions questions;
  // The expected false positive rate of the filters that a read of an absent
  // key asks. nullopt if RocksDB asks no filter that sst_filters doctor knows.
  std::optional<double> expected_rate;
  // True if all filters hold whole keys. If a filter holds partition keys,
  // RocksDB counts absent rows of present partitions as false positives.
  bool whole_keys = true;
  std::optional<Diagnosis> diagnosis;
};

Observed Compare(const FilterQuestions& questions,
                 const std::vector<FamilyReport>& families);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_DIAGNOSE_H_
