// SPDX-License-Identifier: Apache-2.0

// Reads one input in many ways, which must all give the same result.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/key_reader.h"
#include "tests/stress/fuzz/fuzz_check.h"
#include "tests/support/read_keys.h"

namespace cassandra_bloom::testing {

struct Reading {
  std::vector<std::string> keys;
  bool whole = false;

  bool operator==(const Reading& other) const {
    return keys == other.keys && whole == other.whole;
  }
};

inline Reading ReadAll(KeyReader* reader, size_t total_bytes) {
  Reading reading;
  std::string_view key;
  while (reader->Next(&key)) {
    FUZZ_CHECK(reader->error().empty());
    FUZZ_CHECK(reader->bytes_read() <= total_bytes);
    reading.keys.emplace_back(key);
  }
  reading.whole = reader->error().empty();
  FUZZ_CHECK(!reader->Next(&key));
  FUZZ_CHECK(reader->error().empty() == reading.whole);
  FUZZ_CHECK(!reading.whole || reader->bytes_read() == total_bytes);
  return reading;
}

// Checks the readers that `new_reader(fd, buffer_size)` makes. All of them must
// give `expected`, which is the result of a parser without a buffer.
template <typename NewReader>
void CheckReadings(const std::string& bytes, const Reading& expected,
                   NewReader new_reader) {
  for (const size_t buffer_size : {1U, 64U, 4096U}) {
    const std::unique_ptr<KeyReader> reader =
        new_reader(FileOf(bytes), buffer_size);
    FUZZ_CHECK(ReadAll(reader.get(), bytes.size()) == expected);
    FUZZ_CHECK(reader->Rewind());
    FUZZ_CHECK(ReadAll(reader.get(), bytes.size()) == expected);
  }
  constexpr size_t kHeldByAPipe = 65536;  // Bytes (pipe(7)).
  for (const size_t buffer_size : {16U, 32U}) {
    int ends[2];
    if (bytes.size() > kHeldByAPipe) {
      return;
    }
    FUZZ_CHECK(pipe(ends) == 0);
    FUZZ_CHECK(write(ends[1], bytes.data(), bytes.size()) ==
               static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
    const std::unique_ptr<KeyReader> reader = new_reader(ends[0], buffer_size);
    FUZZ_CHECK(ReadAll(reader.get(), bytes.size()) == expected);
    FUZZ_CHECK(!reader->Rewind());
  }
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_
