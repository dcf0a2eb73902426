// SPDX-License-Identifier: Apache-2.0

// Reads one input in many ways, all of which must give the same result.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/key_reader.h"
#include "tests/stress/fuzz/fuzz_check.h"
#include "tests/support/memory_source.h"

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
  FUZZ_CHECK(!reader->Next(&key));  // The end is final.
  FUZZ_CHECK(reader->error().empty() == reading.whole);
  FUZZ_CHECK(!reading.whole || reader->bytes_read() == total_bytes);
  return reading;
}

// Calls `new_reader(source, buffer_size)`. `expected` comes from a parser
// without a buffer.
template <typename NewReader>
void CheckReadings(std::string_view bytes, const Reading& expected,
                   NewReader new_reader) {
  struct Way {
    size_t chunk_size;
    size_t buffer_size;
    bool is_pipe;
  };
  // Keeps long inputs from taking long.
  const size_t few = 1 + bytes.size() / 4096;
  for (const Way way :
       {Way{SIZE_MAX, 4096, false}, Way{SIZE_MAX, 1, false}, Way{few, 16, true},
        Way{7 * few, 64, false}, Way{SIZE_MAX, 32, true}}) {
    const std::unique_ptr<KeyReader> reader = new_reader(
        std::make_unique<MemorySource>(bytes, way.chunk_size, way.is_pipe),
        way.buffer_size);
    FUZZ_CHECK(ReadAll(reader.get(), bytes.size()) == expected);
    FUZZ_CHECK(reader->Rewind() == !way.is_pipe);
    if (!way.is_pipe) {
      FUZZ_CHECK(ReadAll(reader.get(), bytes.size()) == expected);
    }
  }
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_READING_H_
