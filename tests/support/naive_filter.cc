// SPDX-License-Identifier: Apache-2.0

#include "tests/support/naive_filter.h"

namespace cassandra_bloom::testing {
namespace {

__extension__ using Int128 = __int128;

uint64_t RotateLeft(uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }

uint64_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdU;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53U;
  x ^= x >> 33;
  return x;
}

// A byte of the key as Java widens it to long.
uint64_t SignedByte(const std::string& key, size_t i) {
  return static_cast<uint64_t>(
      static_cast<int64_t>(static_cast<int8_t>(key[i])));
}

uint64_t Block(const std::string& key, size_t at) {
  uint64_t block = 0;
  for (size_t i = 0; i < 8; ++i) {
    block |= (SignedByte(key, at + i) & 0xff) << (8 * i);
  }
  return block;
}

}  // namespace

NaiveFilter::NaiveFilter(int num_probes, uint32_t num_words)
    : num_probes_(num_probes),
      num_words_(num_words),
      bits_(uint64_t{64} * num_words) {}

std::pair<uint64_t, uint64_t> NaiveFilter::Hash(const std::string& key) {
  const uint64_t c1 = 0x87c37b91114253d5U;
  const uint64_t c2 = 0x4cf5ad432745937fU;
  const size_t tail = key.size() / 16 * 16;
  uint64_t h1 = 0;
  uint64_t h2 = 0;
  for (size_t at = 0; at < tail; at += 16) {
    h1 ^= RotateLeft(Block(key, at) * c1, 31) * c2;
    h1 = RotateLeft(h1, 27);
    h1 += h2;
    h1 = h1 * 5 + 0x52dce729;
    h2 ^= RotateLeft(Block(key, at + 8) * c2, 33) * c1;
    h2 = RotateLeft(h2, 31);
    h2 += h1;
    h2 = h2 * 5 + 0x38495ab5;
  }
  uint64_t k1 = 0;
  uint64_t k2 = 0;
  for (size_t i = tail; i < key.size(); ++i) {
    if (i - tail < 8) {
      k1 ^= SignedByte(key, i) << (8 * (i - tail));
    } else {
      k2 ^= SignedByte(key, i) << (8 * (i - tail - 8));
    }
  }
  h2 ^= RotateLeft(k2 * c2, 33) * c1;
  h1 ^= RotateLeft(k1 * c1, 31) * c2;
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  h1 = Mix(h1);
  h2 = Mix(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

std::vector<uint64_t> NaiveFilter::Positions(uint64_t h1, uint64_t h2) const {
  const Int128 capacity = Int128{64} * num_words_;
  std::vector<uint64_t> positions;
  uint64_t base = h2;
  for (int i = 0; i < num_probes_; ++i) {
    const Int128 remainder = Int128{static_cast<int64_t>(base)} % capacity;
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
