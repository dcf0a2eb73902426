// SPDX-License-Identifier: Apache-2.0

// What a Filter.db is asked: whether its header makes sense, how full it is,
// and its keys. Tested in filterdb/tests/commands/scan/harms_test.cc. Tested in
// filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_QUESTIONS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_QUESTIONS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/harm.h"
#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

// How full a filter is.
struct FilterFill {
  // The share of absent keys that the filter lets pass, from 0 to 1. Without a
  // filter, it is 1.
  double rate() const {
    return num_probes < 1 || set_bits >= capacity_bits
               ? 1
               : std::pow(fill_ratio(), num_probes);
  }

  double fill_ratio() const {
    return capacity_bits == 0 ? 0
                              : static_cast<double>(set_bits) /
                                    static_cast<double>(capacity_bits);
  }

  // Returns whether the filter is too full to be useful.
  //
  // If a filter has the keys that it was sized for, the average share of set
  // bits is at most:
  //
  //   1 probe            63 %
  //   2 probes           86 %
  //   3 or more probes   57 %
  //
  // If far more bits are set, the filter has too many keys or wrong bits. A
  // filter with many probes may still be good then, because its rate() is low.
  // So the filter is only saturated if its rate() is high, too.
  bool is_saturated() const {
    const double full = num_probes < 3 ? 0.95 : 0.7;
    constexpr double kPoor = 0.05;
    return static_cast<double>(set_bits) >=
               full * static_cast<double>(capacity_bits) &&
           rate() > kPoor;
  }

  // All three are 0 if there is no filter, or if the filter has no bits.
  int num_probes = 0;
  uint64_t set_bits = 0;
  uint64_t capacity_bits = 0;
};

// Reads all bits of the filter.
inline FilterFill FillOf(const FilterDbFile& filter) {
  return {filter.num_probes(), filter.CountSetBits(), filter.capacity_bits()};
}

// Asks a filter for 64 keys at once. This takes half the time of 64 calls for
// one key each. The destructor asks for the last keys, so that those are asked
// for, too, that were read before an exception.
class KeyBatch {
 public:
  // Without a `filter`, nothing is asked.
  KeyBatch(const FilterDbFile* filter, uint64_t* num_missing)
      : filter_(filter), num_missing_(*num_missing) {}
  ~KeyBatch() { Ask(); }
  KeyBatch(const KeyBatch&) = delete;
  KeyBatch& operator=(const KeyBatch&) = delete;

  void Add(std::string_view key) {
    if (filter_ == nullptr) {
      return;
    }
    bytes_.append(key);
    ends_[num_keys_++] = bytes_.size();
    if (num_keys_ == kSize) {
      Ask();
    }
  }

 private:
  static constexpr size_t kSize = 64;

  void Ask() {
    std::array<std::string_view, kSize> keys;
    std::array<bool, kSize> may_contain;
    size_t begin = 0;
    for (size_t i = 0; i < num_keys_; ++i) {
      keys[i] = std::string_view(bytes_).substr(begin, ends_[i] - begin);
      begin = ends_[i];
    }
    if (num_keys_ > 0) {
      filter_->MayContain(keys.data(), num_keys_, may_contain.data());
    }
    for (size_t i = 0; i < num_keys_; ++i) {
      num_missing_ += may_contain[i] ? 0 : 1;
    }
    num_keys_ = 0;
    bytes_.clear();
  }

  const FilterDbFile* const filter_;
  uint64_t& num_missing_;
  std::string bytes_;
  std::array<size_t, kSize> ends_;
  size_t num_keys_ = 0;
};

// Judges an open Filter.db of `*size` bytes by its header (docs/format.md).
// Returns nothing if the filter can be asked, or if it cannot be read. Sets
// `*size` to the number of bytes that a node reads (OpenLikeNode).
inline std::optional<Check> FaultOfHeader(int fd, uint64_t* size) {
  if (*size == 0) {
    return Check::kEmpty;
  }
  if (*size < kFilterDbHeaderSize) {
    return Check::kHeaderCut;
  }
  char bytes[kFilterDbHeaderSize] = {};
  if (ReadAt(fd, 0, sizeof(bytes), bytes) < 0) {
    return std::nullopt;
  }
  const int64_t num_probes = LoadBigEndian32(bytes);
  const int64_t num_words = LoadBigEndian32(bytes + 4);
  if (num_words < 1 || num_probes > kMaxReadableProbes) {
    return Check::kFilterUnreadable;
  }
  const size_t expected = FilterDbSize(static_cast<uint32_t>(num_words));
  if (*size < expected) {
    return Check::kTruncated;
  }
  *size = expected;
  return num_probes < 1 ? std::make_optional(Check::kNoProbes) : std::nullopt;
}

// Returns a sentence if the file of an open filter has more bytes than its
// header says: then the header may be damaged, and the filter wrong. Otherwise
// returns "".
inline std::string WhyTooLong(const std::string& path,
                              const FilterDbFile& filter) {
  const uint64_t expected = FilterDbSize(filter.num_words());
  std::error_code failure;
  const uint64_t size = std::filesystem::file_size(path, failure);
  return failure || size <= expected
             ? ""
             : "too long: " + std::to_string(size) + " bytes, and " +
                   std::to_string(expected) + " by its header";
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_QUESTIONS_H_
