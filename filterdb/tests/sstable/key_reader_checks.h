// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_KEY_READER_CHECKS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_KEY_READER_CHECKS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/key_reader.h"
#include "filterdb/tests/sstable/read_keys.h"

namespace cassandra_bloom::testing {

// Expects `keys_before` keys, then an error that begins with the path of the
// file and contains `error`. `open(path)` opens a reader of a file.
template <typename Open>
void ExpectBroken(std::string_view bytes, size_t keys_before,
                  const std::string& error, Open open) {
  const TemporaryFile file{std::string(bytes)};
  const std::unique_ptr<KeyReader> reader = open(file.path());
  const KeysAndError read = ReadKeys(reader.get());
  EXPECT_EQ(read.keys.size(), keys_before);
  EXPECT_EQ(read.error.rfind(file.path() + ": ", 0), 0U) << read.error;
  EXPECT_NE(read.error.find(error), std::string::npos) << read.error;
  // The error must stay if the test reads on.
  EXPECT_EQ(ReadKeys(reader.get()).keys.size(), 0U);
  EXPECT_EQ(reader->error(), read.error);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_KEY_READER_CHECKS_H_
