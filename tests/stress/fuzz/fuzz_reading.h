// SPDX-License-Identifier: Apache-2.0

// Reads the keys of one input.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/key_reader.h"
#include "tests/stress/fuzz/fuzz_input.h"

namespace cassandra_bloom::testing {

struct Reading {
  std::vector<std::string> keys;
  bool whole = false;

  bool operator==(const Reading& other) const {
    return keys == other.keys && whole == other.whole;
  }
};

inline Reading ReadAll(KeyReader* reader) {
  Reading reading;
  std::string_view key;
  while (reader->Next(&key)) {
    FUZZ_CHECK(reader->error().empty());
    reading.keys.emplace_back(key);
  }
  reading.whole = reader->error().empty();
  FUZZ_CHECK(!reader->Next(&key));
  FUZZ_CHECK(reader->error().empty() == reading.whole);
  return reading;
}

// Reads `bytes` with the reader that `open(path)` opens. That must give
// `expected`, which is the result of another parser.
template <typename Open>
void CheckReading(const std::string& bytes, const Reading& expected,
                  Open open) {
  const std::string path = FuzzFolder() / "input";
  WriteFile(path, bytes);
  const std::unique_ptr<KeyReader> reader = open(path);
  FUZZ_CHECK(reader != nullptr);
  FUZZ_CHECK(ReadAll(reader.get()) == expected);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_
