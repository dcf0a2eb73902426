// SPDX-License-Identifier: Apache-2.0

// Tests damage that is found only by comparing the index with the other files
// of the SSTable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "filterdb/tests/sstable/handmade_trie_sstable.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Values;
using tools::KeyChecks;
using tools::OpenSstableKeys;

constexpr KeyChecks kBothChecks[] = {KeyChecks::kCheap, KeyChecks::kEveryKey};

struct Kind {
  const char* version;
  bool lz4;
};

// `sstable_` and `other_` have the same version, and 1,000 keys each.
class SstableChecksTest : public ::testing::TestWithParam<Kind> {
 protected:
  SstableChecksTest() : sstable_(Write("1", "key")), other_(Write("2", "o")) {}

  WrittenSstable Write(const std::string& generation,
                       const std::string& start) const {
    SstableSpec spec;
    spec.folder = dir_.path();
    spec.version = GetParam().version;
    spec.lz4 = GetParam().lz4;
    spec.generation = generation;
    spec.wide_every = 1;  // So a trie index has the keys, too, in Rows.db.
    for (int i = 0; i < 1000; ++i) {
      spec.keys.push_back(start + std::to_string(i));
    }
    return WriteSstable(spec);
  }

  bool has_trie() const {
    return std::filesystem::exists(sstable_.Path("Partitions.db"));
  }

  std::string IndexPath() const {
    return Path(has_trie() ? "Partitions.db" : "Index.db");
  }

  // Returns the path of the file with the keys.
  std::string KeysPath() const {
    return Path(has_trie() ? "Rows.db" : "Index.db");
  }

  std::unique_ptr<tools::SstableKeys> Open(KeyChecks checks,
                                           std::string* error) const {
    return OpenSstableKeys(IndexPath(), GetParam().version, checks, error);
  }

  std::string Error(KeyChecks checks) const {
    std::string error;
    const auto reader = Open(checks, &error);
    return WithoutFolders(reader == nullptr ? error
                                            : ReadKeys(reader.get()).error);
  }

  void ExpectBoth(const ::testing::Matcher<std::string>& error) const {
    for (const KeyChecks checks : kBothChecks) {
      EXPECT_THAT(Error(checks), error);
    }
  }

  std::string Path(const std::string& component) const {
    return sstable_.Path(component);
  }

  // Returns the offset in bytes of the key's entry in the file with the keys.
  size_t EntryOf(const std::string& key) const {
    const size_t at = ReadFile(KeysPath()).find(key);
    EXPECT_NE(at, std::string::npos);
    return at - 2;
  }

  void FlipBitOf(size_t number) const {
    std::string index = ReadFile(KeysPath());
    index[EntryOf(sstable_.keys[number]) + 2] ^= 1;
    WriteFile(KeysPath(), index);
  }

  const TempDir dir_;
  const WrittenSstable sstable_;
  const WrittenSstable other_;
};

TEST_P(SstableChecksTest, Good) {
  for (const KeyChecks checks : kBothChecks) {
    std::string error;
    const auto reader = Open(checks, &error);
    ASSERT_NE(reader, nullptr) << error;
    const KeysAndError read = ReadKeys(reader.get());
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.keys, sstable_.keys);
    EXPECT_EQ(reader->all_are_in_data(), checks == KeyChecks::kEveryKey);
    EXPECT_EQ(reader->bytes_read(), reader->total_bytes());
    std::string_view key;
    EXPECT_FALSE(reader->Next(&key));
  }
}

// Without Statistics.db, nothing shows whether an index lacks keys.
TEST_P(SstableChecksTest, NothingTellsTheNumber) {
  std::filesystem::remove(Path("Statistics.db"));
  EXPECT_EQ(Error(KeyChecks::kCheap), "");
  EXPECT_THAT(Error(KeyChecks::kEveryKey),
              HasSubstr(".db: nothing shows that it has the key of every "
                        "partition, because "));
}

TEST_P(SstableChecksTest, AFlippedBitOfAKey) {
  const std::string whole = ReadFile(KeysPath());
  for (const size_t number : {0U, 1U, 500U, 999U}) {
    SCOPED_TRACE(number);
    FlipBitOf(number);
    EXPECT_THAT(Error(KeyChecks::kEveryKey),
                HasSubstr(": another key than at position "));
    WriteFile(KeysPath(), whole);
  }
}

// The changed key has a random token, which almost never lies between the
// tokens of its two neighbours.
TEST_P(SstableChecksTest, TheOrderOfTokens) {
  FlipBitOf(500);
  EXPECT_THAT(
      Error(KeyChecks::kCheap),
      HasSubstr("a key that is not in the order of Murmur3Partitioner"));
  // Without Statistics.db, only Data.db shows it.
  std::filesystem::remove(Path("Statistics.db"));
  EXPECT_EQ(Error(KeyChecks::kCheap), "");
}

// Entries are missing at the end, in the middle, or in the promoted index of
// another entry with a wrong size.
TEST_P(SstableChecksTest, EntriesAreMissing) {
  if (has_trie()) {  // partitions_db_reader_test.cc tests tries.
    return;
  }
  const std::string whole = ReadFile(Path("Index.db"));
  for (const size_t number : {1U, 500U, 999U}) {
    WriteFile(Path("Index.db"),
              whole.substr(0, EntryOf(sstable_.keys[number])));
    ExpectBoth(HasSubstr("Index.db: has " + std::to_string(number) +
                         " keys, but Statistics.db counts 1000; "));
    WriteFile(Path("Index.db"), whole);
  }
  const size_t from = EntryOf(sstable_.keys[600]);
  std::string index = whole;
  index.erase(from, EntryOf(sstable_.keys[603]) - from);
  WriteFile(Path("Index.db"), index);
  ExpectBoth(HasSubstr("has 997 keys, but Statistics.db counts 1000"));
}

TEST_P(SstableChecksTest, OfAnotherSstable) {
  for (const std::string component :
       {"Index.db", "Partitions.db", "Rows.db", "Statistics.db"}) {
    if (std::filesystem::exists(Path(component))) {
      WriteFile(Path(component), ReadFile(other_.Path(component)));
    }
  }
  EXPECT_THAT(Error(KeyChecks::kEveryKey),
              HasSubstr(": another key than at position 0 of Data.db"));
}

TEST_P(SstableChecksTest, ADataDbThatWasCut) {
  const std::string whole = ReadFile(Path("Data.db"));
  for (const size_t size : {size_t{0}, size_t{1000}, whole.size() / 2}) {
    SCOPED_TRACE(size);
    WriteFile(Path("Data.db"), whole.substr(0, size));
    ExpectBoth(
        GetParam().lz4
            ? HasSubstr("of a Data.db of " + std::to_string(size) + " bytes")
            : HasSubstr(" of Data.db, which has " + std::to_string(size) +
                        " bytes uncompressed"));
  }
  if (GetParam().lz4) {
    WriteFile(Path("Data.db"), whole.substr(0, whole.size() - 1));
    ExpectBoth(HasSubstr("; the file is damaged"));
  }
}

// Every SSTable version stores a checksum for each compressed chunk.
TEST_P(SstableChecksTest, ADamagedChunk) {
  if (GetParam().lz4) {
    std::string data = ReadFile(Path("Data.db"));
    data[100] ^= 1;
    WriteFile(Path("Data.db"), data);
    EXPECT_EQ(Error(KeyChecks::kCheap), "");
    EXPECT_THAT(Error(KeyChecks::kEveryKey),
                HasSubstr("Data.db: byte 0: chunk 0 (LZ4Compressor) "));
  }
}

TEST_P(SstableChecksTest, CompressionInfoIsMissing) {
  if (GetParam().lz4) {
    std::filesystem::remove(Path("CompressionInfo.db"));
    ExpectBoth(::testing::EndsWith(
        "-CompressionInfo.db is missing, but TOC.txt names it"));
    std::filesystem::remove(Path("TOC.txt"));
    ExpectBoth(HasSubstr("; one of the files is damaged, missing or of"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Versions, SstableChecksTest,
    Values(Kind{"ic", true}, Kind{"jb", false}, Kind{"lb", true},
           Kind{"mc", false}, Kind{"me", true}, Kind{"ms", true},
           Kind{"mt", true}, Kind{"nb", false}, Kind{"oa", true},
           Kind{"da", false}, Kind{"da", true}),
    [](const ::testing::TestParamInfo<Kind>& kind) {
      return std::string(kind.param.version) + (kind.param.lz4 ? "_lz4" : "");
    });

// DSE 6.8 may stream a part of an SSTable with the whole Partitions.db: without
// the first partition, without the last ones, or with another last key.
TEST(ZeroCopyTest, IsNotSupported) {
  const TrieSstable whole = SstableOf({"a", "b", "c"});
  for (const std::string& data :
       {whole.data.substr(6), whole.data.substr(0, 12),
        whole.data.substr(0, 12) + whole.data.substr(6, 6)}) {
    TrieSstable part = whole;
    part.data = data;
    const MadeFiles files(part);
    const auto read = [&](const char* version) {
      std::string error;
      const auto reader = OpenSstableKeys(files.Path("Partitions.db"), version,
                                          KeyChecks::kCheap, &error);
      EXPECT_NE(ReadKeys(reader.get()).error, "");
    };
    EXPECT_THROW(read("ba"), tools::NotSupported);
    EXPECT_THROW(read("bb"), tools::NotSupported);
    read("cc");
    read("da");
  }
}

// In an SSTable that DSE has encrypted, Partitions.db is encrypted, too.
TEST(EncryptedTest, IsNotSupported) {
  TrieSstable sstable = SstableOf({"a", "b", "c"});
  sstable.compressor = "EncryptingLZ4Compressor";
  const MadeFiles files(sstable);
  files.Write("Partitions.db", std::string(100, 'x'));
  EXPECT_THAT(files.Error(),
              HasSubstr("compressor EncryptingLZ4Compressor: not supported"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
