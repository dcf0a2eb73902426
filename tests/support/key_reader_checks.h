// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_READER_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_READER_CHECKS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "filterdb/sstable/bytes/buffered_input.h"
#include "filterdb/sstable/key_reader.h"
#include "tests/support/read_keys.h"

namespace cassandra_bloom::testing {

// Expects that readers find `keys` in `bytes`. The readers read from a file and
// from a pipe, with buffers of several sizes. `new_reader(fd, buffer_size)`
// makes a reader.
template <typename NewReader>
void ExpectKeysInPiecesAndBuffers(const std::string& bytes,
                                  const std::vector<std::string>& keys,
                                  NewReader new_reader) {
  for (const size_t buffer_size : {0U, 1U, 50U, 1000U, 1000000U}) {
    SCOPED_TRACE(buffer_size);
    const std::unique_ptr<KeyReader> reader =
        new_reader(FileOf(bytes), buffer_size);
    const KeysAndError read = ReadKeys(reader.get());
    ASSERT_EQ(read.error, "");
    ASSERT_EQ(read.keys, keys);
    ASSERT_EQ(reader->bytes_read(), bytes.size());
    ASSERT_TRUE(reader->Rewind());
    ASSERT_EQ(ReadKeys(reader.get()).keys, keys);
    for (const size_t piece_size : {3U, 50U, 1000U}) {
      const Pipe pipe(bytes, piece_size);
      const std::unique_ptr<KeyReader> piped =
          new_reader(pipe.end(), buffer_size);
      ASSERT_EQ(ReadKeys(piped.get()).keys, keys) << piece_size;
      ASSERT_EQ(piped->error(), "");
      ASSERT_EQ(piped->bytes_read(), bytes.size());
      ASSERT_FALSE(piped->Rewind());
    }
  }
}

// Expects `keys_before` keys, then an error that begins with `name` and
// contains `error`.
template <typename NewReader>
void ExpectBroken(const std::string& name, size_t keys_before,
                  const std::string& error, NewReader new_reader) {
  for (const size_t buffer_size : {size_t{64}, kInputBufferSize}) {
    const std::unique_ptr<KeyReader> reader = new_reader(buffer_size);
    const KeysAndError read = ReadKeys(reader.get());
    EXPECT_EQ(read.keys.size(), keys_before);
    EXPECT_EQ(read.error.rfind(name + ": ", 0), 0U) << read.error;
    EXPECT_NE(read.error.find(error), std::string::npos) << read.error;
    // The error must stay if the test reads on, and must come again after
    // Rewind.
    EXPECT_EQ(ReadKeys(reader.get()).keys.size(), 0U);
    EXPECT_EQ(reader->error(), read.error);
    EXPECT_TRUE(reader->Rewind());
    EXPECT_EQ(reader->error(), "");
    EXPECT_EQ(ReadKeys(reader.get()).keys, read.keys);
    EXPECT_EQ(reader->error(), read.error);
  }
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_READER_CHECKS_H_
