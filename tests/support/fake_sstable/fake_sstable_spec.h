// SPDX-License-Identifier: Apache-2.0

// Describes what fake_sstable.h is to write.

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
  // No fault: without a filter, because bloom_filter_fp_chance is 1.
  kNoFilterPlanned,

  // At least one present key does not match:
  kBitsCleared,  // some bits are cleared
  kKeysLeftOut,  // built without every tenth key, at least one
  kOtherForm,    // written in another form, see SstableSpec::other_form

  // Every present key matches, but the filter does not have the planned size:
  kSaturated,     // all bits are set
  kHalfSize,      // built for half of the keys
  kQuarterSize,   // built for a quarter of the keys
  kFourfoldSize,  // built for four times the keys

  // Filter.db is missing, or is not a valid filter:
  kTruncated,  // the second half of the file is missing
  kEmpty,      // a file of 0 bytes
  kMissing,    // no file, and none in TOC.txt, but a chance below 1
  kProbes0,    // the file says 0 probes
  kProbes99,   // the file says 99 probes

  // The filter is good, but Index.db or Partitions.db ends in its middle.
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

// "none", "no_filter_planned", "bits_cleared" and so on.
const char* NameOf(FilterFault fault);

struct SstableSpec {
  std::string folder;  // Must exist.

  // ia to lb, ma to me, ms, mt, na to nc, oa or da.
  std::string version = "nb";
  std::string generation = "1";
  // Only the names of versions before `la` have these: ks-table-ic-1-Data.db
  std::string keyspace = "ks";
  std::string table = "table";

  // In any order, without duplicates, at least one. Each has 0 to 65535 bytes.
  std::vector<std::string> keys;

  // The number of filler bytes after each key in Data.db.
  size_t row_bytes = 8;
  // Every partition whose number is a multiple of this is wide. A wide
  // partition has a promoted index or, if there is a trie, an entry in Rows.db.
  // 0: no partition is wide.
  size_t wide_every = 0;

  bool lz4 = false;
  size_t chunk_bytes = 16384;
  // Since `na`, if LZ4 makes a chunk as long as this or longer, it is stored
  // uncompressed.
  size_t max_compressed_bytes = 0x7fffffff;

  // bloom_filter_fp_chance, for which the filter is built. Since `ja`,
  // Statistics.db contains it.
  double fp_chance = 0.01;
  // The filter is built for at least this number of keys, as Cassandra does.
  uint64_t min_expected_keys = 128;

  FilterFault fault = FilterFault::kNone;
  // For kOtherForm. The default is ma-to-me, or na-and-later if the version
  // itself has the form ma-to-me.
  std::optional<FilterForm> other_form;
};

// The form in which the filter is written for kOtherForm. Throws
// std::invalid_argument if the version itself has this form.
FilterForm OtherFormOf(const SstableSpec& spec);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SSTABLE_SPEC_H_
