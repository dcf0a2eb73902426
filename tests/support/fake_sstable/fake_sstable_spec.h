// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_SPEC_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_SPEC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::testing {

enum class FilterFault {
  kNone,
  // There is no filter, because bloom_filter_fp_chance is 1. This is no fault.
  kNoFilterPlanned,

  // At least one present key does not match:
  kBitsCleared,  // some bits are cleared
  kKeysLeftOut,  // built without the keys 0, 10, 20 and so on
  kOtherForm,    // written in the form SstableSpec::other_form

  // Every present key matches, but the false positive rate is not as planned:
  kSaturated,     // all bits are set
  kHalfSize,      // built for half of the keys
  kQuarterSize,   // built for a quarter of the keys
  kFourfoldSize,  // built for four times the keys

  // Filter.db is missing, or is not a valid filter:
  kTruncated,  // the second half of the file is missing
  kEmpty,      // a file of 0 bytes
  kMissing,    // no file, although bloom_filter_fp_chance is below 1
  kProbes0,    // the file says 0 probes
  kProbes99,   // the file says 99 probes

  // Index.db or Partitions.db lacks its second half, but the filter is good.
  kIndexCut,
};

constexpr std::array<FilterFault, 15> kAllFilterFaults = {
    FilterFault::kNone,         FilterFault::kNoFilterPlanned,
    FilterFault::kBitsCleared,  FilterFault::kKeysLeftOut,
    FilterFault::kOtherForm,    FilterFault::kSaturated,
    FilterFault::kHalfSize,     FilterFault::kQuarterSize,
    FilterFault::kFourfoldSize, FilterFault::kTruncated,
    FilterFault::kEmpty,        FilterFault::kMissing,
    FilterFault::kProbes0,      FilterFault::kProbes99,
    FilterFault::kIndexCut};

// Returns "none", "no_filter_planned", "bits_cleared" and so on.
const char* NameOf(FilterFault fault);

struct SstableSpec {
  std::string folder;  // Must exist.

  // The SSTable version: ia to lb, ma to me, ms, mt, na to nc, oa or da.
  std::string version = "nb";
  std::string generation = "1";
  // Used in the file names of versions before `la`, such as
  // ks-table-ic-1-Data.db.
  std::string keyspace = "ks";
  std::string table = "table";

  // At least one key, without duplicates. A key has 0 to 65535 bytes.
  std::vector<std::string> keys;

  size_t row_bytes = 8;
  // Every partition whose number is a multiple of this is wide. 0 means none. A
  // wide partition has a promoted index or an entry in Rows.db.
  size_t wide_every = 0;

  bool lz4 = false;
  size_t chunk_bytes = 16384;
  // If LZ4 makes a chunk of at least this many bytes, the chunk is stored
  // uncompressed. Used only for version `na` and later.
  size_t max_compressed_bytes = 0x7fffffff;

  // The value of bloom_filter_fp_chance for which the filter is built.
  double fp_chance = 0.01;
  // The filter is built for at least this number of keys, as in Cassandra.
  uint64_t min_expected_keys = 128;

  FilterFault fault = FilterFault::kNone;
  // The form of the filter if `fault` is kOtherForm. The default is ma-to-me.
  // For the versions ma to mt, the default is na-and-later.
  std::optional<FilterForm> other_form;
};

// Returns the form of the filter for kOtherForm. Throws std::invalid_argument
// if spec.other_form is the form of spec.version.
FilterForm OtherFormOf(const SstableSpec& spec);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_SPEC_H_
