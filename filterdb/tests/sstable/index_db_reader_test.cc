// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

using Keys = std::vector<std::string>;

constexpr IndexKind kFixed = IndexKind::kFixedWidth;
constexpr IndexKind kVInt = IndexKind::kVInt;

std::string Entry(IndexKind kind, const std::string& key, uint64_t position,
                  size_t promoted_size = 0) {
  const std::string numbers =
      kind == kFixed ? BigEndian(position, 8) + BigEndian(promoted_size, 4)
                     : UnsignedVInt(position) + UnsignedVInt(promoted_size);
  return BigEndian(key.size(), 2) + key + numbers +
         std::string(promoted_size, '\x7f');
}

// `path` must not end in "-Index.db".
std::unique_ptr<KeyReader> Open(const std::string& path, IndexKind kind) {
  std::string error;
  auto reader = tools::OpenSstableKeys(path, kind == kFixed ? "ka" : "nb",
                                       tools::KeyChecks::kCheap, &error);
  EXPECT_NE(reader, nullptr) << error;
  return reader;
}

KeysAndError Read(const std::string& bytes, IndexKind kind) {
  const TemporaryFile file(bytes);
  return ReadKeys(Open(file.path(), kind).get());
}

// sstable_checks_test.cc reads what Cassandra wrote, of every version.

// ---- Files that Cassandra or ScyllaDB might write ----

// A position must be greater than the previous position. So these errors show
// whether the reader decodes the right value of a vint: the next position is a
// vint of 9 bytes, the simplest one.
TEST(IndexDbReaderTest, ReadsTheValueOfAVInt) {
  const auto entry = [](const std::string& key, uint64_t position, int more) {
    return WithLength(key) + UnsignedVInt(position, more) +
           UnsignedVInt(0, more);
  };
  for (int more = 0; more <= 8; ++more) {
    SCOPED_TRACE(more);
    // The largest number whose vint has `more` + 1 bytes.
    const uint64_t largest =
        more == 8 ? uint64_t{INT64_MAX} : (uint64_t{1} << (7 * more + 7)) - 1;
    for (const uint64_t value : {uint64_t{1}, largest / 3, largest - 1}) {
      const std::string first = Entry(kVInt, "a", 0) + entry("b", value, more);
      EXPECT_EQ(Read(first + entry("c", value + 1, 8), kVInt).error, "");
      EXPECT_NE(Read(first + entry("c", value, 8), kVInt).error, "");
    }
  }
}

class IndexKindTest : public ::testing::TestWithParam<IndexKind> {};

INSTANTIATE_TEST_SUITE_P(IndexDbReaderTest, IndexKindTest,
                         ::testing::Values(kFixed, kVInt));

// Returns how many bytes this process has read so far (proc(5)).
uint64_t BytesRead() {
  std::ifstream io("/proc/self/io");
  std::string name;
  uint64_t rchar = 0;
  io >> name >> rchar;
  EXPECT_EQ(name, "rchar:");
  return rchar;
}

// An entry that crosses the end of what was read must not make the reader read
// the file many times.
TEST_P(IndexKindTest, EntriesCrossTheEndOfTheBuffer) {
  SCOPED_TRACE(Seed());
  const RandomKeys random(Seed(), 300);
  Keys keys;
  std::string index;
  uint64_t position = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    keys.push_back(random[i]);
    index += Entry(GetParam(), keys.back(), position, i % 3 == 0 ? 0 : i * 3);
    position += 1 + (keys.back().size() << (i % 30));
  }
  const TemporaryFile file(index);
  const auto reader = Open(file.path(), GetParam());
  const uint64_t before = BytesRead();
  const KeysAndError read = ReadKeys(reader.get());
  EXPECT_LT(BytesRead() - before, index.size() + index.size() / 4);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.keys, keys);
}

// Passes over promoted indexes that are larger than what is read at once.
TEST_P(IndexKindTest, TakesTheShortestAndTheLongestKey) {
  const Keys keys = {std::string(65535, '\xff'), "", std::string(65535, '\0')};
  std::string index;
  for (size_t i = 0; i < keys.size(); ++i) {
    index += Entry(GetParam(), keys[i], i, /*promoted_size=*/3 << 20);
  }
  const KeysAndError read = Read(index, GetParam());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.keys, keys);
}

// ---- Damaged files ----

// The reader must skip promoted indexes, because reading this one of 1 TiB
// would take minutes. A promoted index that does not fit into the file is an
// error.
TEST(IndexDbReaderTest, DoesNotReadPromotedIndexes) {
  const uint64_t promoted_size = uint64_t{1} << 40;
  const std::string first =
      BigEndian(1, 2) + "a" + UnsignedVInt(0) + UnsignedVInt(promoted_size);
  const std::string second = Entry(kVInt, "b", 1);
  const uint64_t second_at = first.size() + promoted_size;
  const TemporaryFile file(first);
  std::filesystem::resize_file(file.path(), second_at);
  std::ofstream(file.path(), std::ios::app) << second;
  const KeysAndError read = ReadKeys(Open(file.path(), kVInt).get());
  EXPECT_EQ(read.keys, (Keys{"a", "b"}));
  EXPECT_EQ(read.error, "");

  std::filesystem::resize_file(file.path(), second_at - 1);
  EXPECT_NE(ReadKeys(Open(file.path(), kVInt).get()).error, "");
}

TEST_P(IndexKindTest, RefusesEveryCutInsideAnEntry) {
  const std::string first = Entry(GetParam(), "alice", 0, 100);
  const std::string second = Entry(GetParam(), "bob", 300, 100);
  for (size_t cut = 0; cut < second.size(); ++cut) {
    SCOPED_TRACE(cut);
    const TemporaryFile file(first + second.substr(0, cut));
    const auto reader = Open(file.path(), GetParam());
    const KeysAndError read = ReadKeys(reader.get());
    EXPECT_EQ(read.keys, Keys{"alice"});
    if (cut == 0) {
      EXPECT_EQ(read.error, "");
      continue;
    }
    EXPECT_EQ(read.error.rfind(file.path() + ": byte ", 0), 0U);
    EXPECT_NE(read.error.find(": ends inside "), std::string::npos)
        << read.error;
    std::string_view key;
    EXPECT_FALSE(reader->Next(&key));
    EXPECT_EQ(reader->error(), read.error);
  }
}

struct BrokenIndex {
  const char* what;
  IndexKind kind;
  std::string bytes;
  size_t keys_before;
  const char* error;
};

const BrokenIndex kBrokenIndexes[] = {
    {"no entries", kFixed, "", 0, "empty, but an SSTable has at least"},
    {"half a length", kVInt, Entry(kVInt, "a", 0) + '\0', 1,
     "byte 5: ends inside a key; the file is damaged or of another SSTable "
     "version"},
    {"half a key", kVInt, BigEndian(5, 2) + "abc", 0,
     "byte 2: ends inside a key"},
    {"half a position", kFixed, BigEndian(1, 2) + "a" + BigEndian(0, 7), 0,
     "byte 3: ends inside the numbers after a key"},
    {"half a position", kVInt,
     Entry(kVInt, "a", 0) + BigEndian(1, 2) + "b\xff" + BigEndian(1, 7), 1,
     "byte 8: ends inside the numbers after a key"},
    {"a promoted index of a byte too much", kVInt,
     BigEndian(1, 2) + "a" + UnsignedVInt(0, 0) + UnsignedVInt(4, 0) + "abc", 0,
     "byte 0: ends inside a key's promoted index of 4 bytes"},
    {"the largest promoted index", kFixed,
     BigEndian(1, 2) + "a" + BigEndian(0, 8) + BigEndian(INT32_MAX, 4), 0,
     "of 2147483647 bytes"},
    {"the largest promoted index", kVInt,
     BigEndian(1, 2) + "a" + UnsignedVInt(0, 0) + UnsignedVInt(INT64_MAX, 8), 0,
     "of 9223372036854775807 bytes"},
    {"a negative promoted index", kFixed,
     BigEndian(1, 2) + "a" + BigEndian(0, 8) + BigEndian(0xffffffff, 4), 0,
     "byte 0: a promoted index of -1 bytes"},
    {"a negative promoted index", kVInt,
     BigEndian(1, 2) + "a" + UnsignedVInt(0, 0) + UnsignedVInt(UINT64_MAX, 8),
     0, "byte 0: a promoted index of -1 bytes"},
    {"the first position", kFixed, Entry(kFixed, "a", 1), 0,
     "byte 0: the first partition is at position 1 of Data.db, not at 0"},
    {"the first position", kVInt, Entry(kVInt, "a", UINT64_MAX), 0,
     "byte 0: a partition at position -1 of Data.db; the file is damaged"},
    {"a position twice", kVInt, Entry(kVInt, "a", 0) + Entry(kVInt, "b", 0), 1,
     "byte 5: a partition at position 0 of Data.db after one at 0; the file is "
     "damaged or of another SSTable version"},
    {"a lower position", kFixed,
     Entry(kFixed, "a", 0) + Entry(kFixed, "b", 9) + Entry(kFixed, "c", 8), 2,
     "byte 30: a partition at position 8 of Data.db after one at 9"},
    {"a negative position", kFixed,
     Entry(kFixed, "a", 0) + Entry(kFixed, "b", uint64_t{1} << 63), 1,
     "a partition at position -9223372036854775808 of Data.db; "},
    {"a negative position", kVInt,
     Entry(kVInt, "a", 0) + Entry(kVInt, "b", uint64_t{1} << 63), 1,
     "a partition at position -9223372036854775808 of Data.db; "},
    {"zeros behind", kFixed, Entry(kFixed, "a", 0) + std::string(4096, '\0'), 1,
     "byte 15: a partition at position 0"},
    {"zeros behind", kVInt, Entry(kVInt, "a", 0) + std::string(4096, '\0'), 1,
     "byte 5: a partition at position 0"},
    {"before ma, as of ma", kVInt,
     Entry(kFixed, "a", 0) + Entry(kFixed, "b", 100), 1,
     "byte 5: a partition at position 0"},
    {"of ma, as before ma", kFixed,
     Entry(kVInt, "a", 0) + Entry(kVInt, "b", 100) + Entry(kVInt, "c", 200) +
         Entry(kVInt, "d", 300),
     0, "byte 0: ends inside a key's promoted index"},
};

TEST(IndexDbReaderTest, RefusesBrokenIndexes) {
  for (const BrokenIndex& index : kBrokenIndexes) {
    SCOPED_TRACE(std::string(index.what) + ": " + index.error);
    ExpectBroken(
        index.bytes, index.keys_before, index.error,
        [&](const std::string& path) { return Open(path, index.kind); });
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
