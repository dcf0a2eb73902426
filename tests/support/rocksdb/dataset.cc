// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/dataset.h"

#include "tests/support/cassandra_data.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

std::string RandomBytes(uint64_t* state, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(NextRandom(state) >> 56);
  }
  return bytes;
}

// In bytes. Keys with the longest suffix are longer than a hash block of 16
// bytes.
constexpr size_t kLongestSuffix = 24;

std::string RandomSuffix(uint64_t* state) {
  return RandomBytes(state, NextRandom(state) % (kLongestSuffix + 1));
}

}  // namespace

std::string ValueOf(const std::string& key) { return "value of " + key; }

std::string NumberedKey(uint32_t number) { return VectorKey("i", number); }

Rows NumberedRows(uint32_t first, uint32_t end) {
  Rows rows;
  for (uint32_t i = first; i < end; ++i) {
    const std::string key = NumberedKey(i);
    rows[key] = ValueOf(key);
  }
  return rows;
}

Dataset NumberedDataset(uint32_t n, uint32_t num_absent) {
  Dataset dataset;
  dataset.rows = NumberedRows(0, n);
  for (uint32_t i = 0; i < num_absent; ++i) {
    dataset.absent.push_back(NumberedKey(i % (n - 1)) + "-" +
                             std::to_string(i));
  }
  return dataset;
}

uint32_t NumWords(uint64_t n) {
  return static_cast<uint32_t>((n * 10 + 20 + 63) / 64);
}

Dataset PrefixedDataset(uint64_t seed, size_t num_prefixes,
                        size_t rows_per_prefix, size_t num_short) {
  uint64_t state = seed;
  Dataset dataset;
  const auto add_row = [&dataset](const std::string& key) {
    dataset.rows[key] = ValueOf(key);
  };
  std::vector<std::string> candidates;
  for (size_t i = 0; i < num_prefixes; ++i) {
    std::string prefix = RandomBytes(&state, kPrefixSize);
    // Only prefixes with an even last byte have rows.
    prefix.back() = static_cast<char>(prefix.back() & ~1);
    for (size_t row = 0; row < rows_per_prefix; ++row) {
      add_row(prefix + RandomSuffix(&state));
      candidates.push_back(prefix + RandomSuffix(&state));
    }
    prefix.back() = static_cast<char>(prefix.back() | 1);
    candidates.push_back(prefix + RandomSuffix(&state));
    candidates.push_back(prefix);
  }
  for (size_t i = 0; i < num_short; ++i) {
    add_row(RandomBytes(&state, i % kPrefixSize));
    candidates.push_back(RandomBytes(&state, kPrefixSize - 1));
  }
  for (const std::string& key : candidates) {
    if (dataset.rows.count(key) == 0) {
      dataset.absent.push_back(key);
    }
  }
  return dataset;
}

}  // namespace cassandra_bloom::testing
