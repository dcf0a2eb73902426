// SPDX-License-Identifier: Apache-2.0

// Reads the keys of one input, and parses the input plainly.

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

// The functions below take something from the front of `*rest`, and return
// false if too few bytes are left.

inline bool TakeBytes(std::string_view* rest, uint64_t size,
                      std::string_view* bytes) {
  if (size > rest->size()) {
    return false;
  }
  *bytes = rest->substr(0, static_cast<size_t>(size));
  rest->remove_prefix(static_cast<size_t>(size));
  return true;
}

// Appends the bytes of a big-endian number to `*number`.
inline bool TakeNumber(std::string_view* rest, int size, uint64_t* number) {
  std::string_view bytes;
  if (!TakeBytes(rest, static_cast<uint64_t>(size), &bytes)) {
    return false;
  }
  for (const char byte : bytes) {
    *number = *number * 256 + static_cast<uint8_t>(byte);
  }
  return true;
}

// Takes a number of variable length.
inline bool TakeVInt(std::string_view* rest, uint64_t* number) {
  uint64_t first = 0;
  if (!TakeNumber(rest, 1, &first)) {
    return false;
  }
  int more = 0;
  while (more < 8 && (first & (0x80U >> more)) != 0) {
    first -= 0x80U >> more;
    ++more;
  }
  *number = first;
  return TakeNumber(rest, more, number);
}

// Takes a key behind its length.
inline bool TakeKey(std::string_view* rest, std::string_view* key) {
  uint64_t size = 0;
  return TakeNumber(rest, 2, &size) && TakeBytes(rest, size, key);
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
