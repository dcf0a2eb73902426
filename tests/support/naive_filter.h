// SPDX-License-Identifier: Apache-2.0

// Cassandra's filter, as simple as Cassandra's Java code. Tests compare the
// folder `plugin` with this filter, so this filter shares no code with
// `plugin`.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_bits.h"

namespace cassandra_bloom::testing {

class NaiveFilter {
 public:
  NaiveFilter(int num_probes, uint32_t num_words)
      : num_probes_(num_probes),
        num_words_(num_words),
        bits_(size_t{8} * num_words, '\0') {}

  // Returns {result[0], result[1]} of Cassandra's MurmurHash.hash3_x64_128.
  static std::pair<uint64_t, uint64_t> Hash(const std::string& key) {
    return PlainHash(key);
  }

  std::vector<uint64_t> Positions(uint64_t h1, uint64_t h2) const {
    std::vector<uint64_t> positions;
    ForEachPosition(h1, h2, num_probes_, num_words_,
                    [&](uint64_t position) { positions.push_back(position); });
    return positions;
  }

  void Add(const std::string& key) {
    const auto [h1, h2] = Hash(key);
    AddToPlainBits(h1, h2, num_probes_, num_words_, bits_.data());
  }
  bool MayContain(const std::string& key) const {
    const auto [h1, h2] = Hash(key);
    return PlainBitsMayContain(h1, h2, num_probes_, num_words_, bits_.data());
  }

  // Returns the bytes of the Filter.db in SSTable versions `na` and later.
  std::string Serialize() const {
    std::string header(8, '\0');
    for (size_t i = 0; i < 4; ++i) {
      header[i] = static_cast<char>(num_probes_ >> (24 - 8 * i));
      header[4 + i] = static_cast<char>(num_words_ >> (24 - 8 * i));
    }
    return header + bits_;
  }

 private:
  const int num_probes_;
  const uint32_t num_words_;
  std::string bits_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_
