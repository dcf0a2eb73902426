// SPDX-License-Identifier: Apache-2.0

// What a Filter.db is asked: whether its header makes sense, and its keys.
// Tested in filterdb/tests/commands/scan/harms_test.cc.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_QUESTIONS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_QUESTIONS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/harm.h"
#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom::tools {

// Asks a filter for 64 keys at once. This takes half the time of 64 calls for
// one key each.
class KeyBatch {
 public:
  KeyBatch() { ends_.reserve(kSize); }

  // The batch must not be full.
  void Add(std::string_view key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }

  bool is_full() const { return ends_.size() == kSize; }

  // Returns how many keys of the batch the filter denies. Empties the batch.
  uint64_t CountMissing(const FilterDbFile& filter) {
    std::array<std::string_view, kSize> keys;
    std::array<bool, kSize> may_contain;
    size_t begin = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      keys[i] = std::string_view(bytes_).substr(begin, ends_[i] - begin);
      begin = ends_[i];
    }
    filter.MayContain(keys.data(), ends_.size(), may_contain.data());
    const auto missing = std::count(
        may_contain.begin(),
        may_contain.begin() + static_cast<ptrdiff_t>(ends_.size()), false);
    bytes_.clear();
    ends_.clear();
    return static_cast<uint64_t>(missing);
  }

 private:
  static constexpr size_t kSize = 64;

  std::string bytes_;
  std::vector<size_t> ends_;  // Where each key ends in bytes_.
};

// What the first 8 bytes of a Filter.db say (docs/format.md).
struct Header {
  int64_t num_probes = 0;
  int64_t num_words = 0;
};

// Cassandra keeps the positions of a key in a long[21] (class BloomFilter), so
// it fails at the first query of a filter with more probes.
constexpr int64_t kMaxProbesOfCassandra = 21;

// Returns nothing for a filter that can be asked.
inline std::optional<Check> FaultOf(uint64_t size, const Header& header) {
  if (size == 0) {
    return Check::kEmpty;
  }
  if (size < kFilterDbHeaderSize) {
    return Check::kHeaderCut;
  }
  if (header.num_words < 1 || header.num_probes > kMaxProbesOfCassandra) {
    return Check::kFilterUnreadable;
  }
  const uint64_t expected =
      kFilterDbHeaderSize + 8 * static_cast<uint64_t>(header.num_words);
  return size < expected         ? std::make_optional(Check::kTruncated)
         : size > expected       ? std::make_optional(Check::kTooLong)
         : header.num_probes < 1 ? std::make_optional(Check::kNoProbes)
                                 : std::nullopt;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_QUESTIONS_H_
