// SPDX-License-Identifier: Apache-2.0

// Writes complete SSTables. The test chooses the fault of the filter. The
// SSTable is a copy of one that Cassandra wrote (tests/data/recorded), or has
// any keys. Then all its files have Cassandra's layouts, but the rows are
// filler.
//
// sstable_checks_test.cc reads what is written here with the readers that it
// also tests with recorded SSTables. faults_test.cc sees each fault.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SSTABLE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SSTABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

enum class FilterFault {
  kNone,

  // At least one present key does not match:
  kBitsCleared,  // some bits are cleared
  kKeysLeftOut,  // built without the keys 0, 10, 20 and so on
  kOtherForm,    // written in the form of ma to me, and these in that of nb

  // Every present key matches, but the false positive rate is not as planned:
  kSaturated,  // all bits are set

  // Filter.db is missing, or is not a valid filter:
  kTruncated,  // the second half of the file is missing
  kEmpty,      // a file of 0 bytes
  kMissing,    // no file, although bloom_filter_fp_chance is below 1
  kProbes0,    // the file says 0 probes

  // Index.db or Partitions.db lacks its second half, but the filter is good.
  kIndexCut,
};

struct SstableSpec {
  std::string folder;  // Must exist.

  std::string version = "nb";

  // A table of tests/data/recorded, such as "deflate". The SSTable is then a
  // copy of that of `version`. Of the fields below, only `expected_keys` and
  // `fault` count. SSTables of versions before `ma` are always copies, of
  // "deflate" if this is empty.
  std::string recorded;

  std::string generation = "1";

  // At least one key, without duplicates. A key has 0 to 65535 bytes.
  std::vector<std::string> keys;

  // Every partition whose number is a multiple of this is wide. 0 means none. A
  // wide partition has a promoted index or an entry in Rows.db.
  size_t wide_every = 0;

  bool lz4 = false;  // Chunks of 1 KiB.

  // The value of bloom_filter_fp_chance for which the filter is built. With 1,
  // there is no filter, as in Cassandra.
  double fp_chance = 0.01;
  // The number of keys for which the filter is built. 0 means the right number,
  // or 128 if that is larger, as in Cassandra.
  uint64_t expected_keys = 0;

  FilterFault fault = FilterFault::kNone;
};

inline SstableSpec SpecOf(const std::string& version,
                          FilterFault fault = FilterFault::kNone,
                          double fp_chance = 0.01, uint64_t expected_keys = 0) {
  SstableSpec spec;
  spec.version = version;
  spec.fault = fault;
  spec.fp_chance = fp_chance;
  spec.expected_keys = expected_keys;
  return spec;
}

// A copy of an SSTable with 500 keys and a bloom_filter_fp_chance of 0.05.
inline SstableSpec RecordedSpec(const std::string& version,
                                FilterFault fault = FilterFault::kNone,
                                uint64_t expected_keys = 0) {
  SstableSpec spec = SpecOf(version, fault, /*fp_chance=*/0.05, expected_keys);
  spec.recorded = "deflate";
  return spec;
}

struct WrittenSstable {
  std::string prefix;             // The path of Data.db without "Data.db".
  std::vector<std::string> keys;  // In the SSTable's order.

  std::string Path(const std::string& component) const {
    return prefix + component;
  }
};

// Overwrites files of the same names. Throws if the SSTable cannot be written.
WrittenSstable WriteSstable(SstableSpec spec);

// Removes the line of Filter.db from TOC.txt.
void LeaveOutOfToc(const WrittenSstable& one);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SSTABLE_H_
