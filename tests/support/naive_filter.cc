// SPDX-License-Identifier: Apache-2.0

#include "tests/support/naive_filter.h"

#include "tests/support/plain_bits.h"

namespace cassandra_bloom::testing {

NaiveFilter::NaiveFilter(int num_probes, uint32_t num_words)
    : num_probes_(num_probes),
      num_words_(num_words),
      bits_(uint64_t{64} * num_words) {}

std::pair<uint64_t, uint64_t> NaiveFilter::Hash(const std::string& key) {
  return PlainHash(key);
}

std::vector<uint64_t> NaiveFilter::Positions(uint64_t h1, uint64_t h2) const {
  const int64_t capacity = int64_t{64} * num_words_;
  std::vector<uint64_t> positions;
  uint64_t base = h2;
  for (int i = 0; i < num_probes_; ++i) {
    const int64_t remainder = static_cast<int64_t>(base) % capacity;
    positions.push_back(
        static_cast<uint64_t>(remainder < 0 ? -remainder : remainder));
    base += h1;
  }
  return positions;
}

void NaiveFilter::Add(const std::string& key) {
  const auto [h1, h2] = Hash(key);
  for (const uint64_t position : Positions(h1, h2)) {
    bits_[position] = true;
  }
}

bool NaiveFilter::MayContain(const std::string& key) const {
  const auto [h1, h2] = Hash(key);
  for (const uint64_t position : Positions(h1, h2)) {
    if (!bits_[position]) {
      return false;
    }
  }
  return true;
}

std::string NaiveFilter::Serialize() const {
  std::string file(8 + bits_.size() / 8, '\0');
  const auto num_probes = static_cast<uint32_t>(num_probes_);
  for (size_t i = 0; i < 4; ++i) {
    file[i] = static_cast<char>(num_probes >> (24 - 8 * i));
    file[4 + i] = static_cast<char>(num_words_ >> (24 - 8 * i));
  }
  for (size_t p = 0; p < bits_.size(); ++p) {
    if (bits_[p]) {
      file[8 + p / 8] = static_cast<char>(file[8 + p / 8] | (1 << (p % 8)));
    }
  }
  return file;
}

}  // namespace cassandra_bloom::testing
