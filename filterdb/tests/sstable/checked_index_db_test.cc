// SPDX-License-Identifier: Apache-2.0

// Tests damage in Index.db that is found only by comparing Index.db with other
// files of the SSTable.

#include "filterdb/sstable/checked_index_db.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/fake_sstable/handmade_trie_sstable.h"
#include "tests/support/read_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Values;
using tools::KeyChecks;
using tools::OpenCheckedIndexDb;

constexpr KeyChecks kBothChecks[] = {KeyChecks::kCheap, KeyChecks::kEveryKey};

struct Kind {
  const char* version;
  bool lz4;
};

// `sstable_` and `other_` have the same version, and 1,000 keys each.
class CheckedIndexDbTest : public ::testing::TestWithParam<Kind> {
 protected:
  CheckedIndexDbTest()
      : sstable_(Write("1", 1000, "key")), other_(Write("2", 1000, "other")) {}

  WrittenSstable Write(const std::string& generation, int num_keys,
                       const std::string& start) const {
    SstableSpec spec;
    spec.folder = dir_.path();
    spec.version = GetParam().version;
    spec.lz4 = GetParam().lz4;
    spec.generation = generation;
    spec.wide_every = 7;
    for (int i = 0; i < num_keys; ++i) {
      spec.keys.push_back(start + std::to_string(i));
    }
    return WriteSstable(spec);
  }

  KeysAndError Read(KeyChecks checks) const {
    KeysAndError read;
    const auto reader = OpenCheckedIndexDb(sstable_.prefix, GetParam().version,
                                           checks, &read.error);
    return reader == nullptr ? read : ReadKeys(reader.get());
  }

  std::string Error(KeyChecks checks) const {
    return WithoutFolders(Read(checks).error);
  }

  void ExpectBoth(const ::testing::Matcher<std::string>& error) const {
    for (const KeyChecks checks : kBothChecks) {
      EXPECT_THAT(Error(checks), error);
    }
  }

  std::string Path(const std::string& component) const {
    return sstable_.Path(component);
  }

  void TakeFromOther(const std::string& component) const {
    WriteFile(Path(component), ReadFile(other_.Path(component)));
  }

  // Returns the offset in bytes of the key's entry in Index.db.
  size_t EntryOf(const std::string& key) const {
    const size_t at = ReadFile(Path("Index.db")).find(key);
    EXPECT_NE(at, std::string::npos);
    return at - 2;
  }

  const TempDir dir_;
  const WrittenSstable sstable_;
  const WrittenSstable other_;
};

TEST_P(CheckedIndexDbTest, Good) {
  for (const KeyChecks checks : kBothChecks) {
    std::string error;
    const auto reader =
        OpenCheckedIndexDb(sstable_.prefix, GetParam().version, checks, &error);
    ASSERT_NE(reader, nullptr) << error;
    for (int pass = 0; pass < 2; ++pass) {
      const KeysAndError read = ReadKeys(reader.get());
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(read.keys, sstable_.keys);
      EXPECT_EQ(reader->bytes_read(), reader->total_bytes());
      std::string_view key;
      EXPECT_FALSE(reader->Next(&key));
      EXPECT_TRUE(reader->Rewind());
    }
  }
}

// Without Statistics.db, nothing shows whether Index.db lacks keys.
TEST_P(CheckedIndexDbTest, SummaryOrStatisticsAreMissing) {
  std::filesystem::remove(Path("Summary.db"));
  ExpectBoth(IsEmpty());
  std::filesystem::remove(Path("Statistics.db"));
  EXPECT_EQ(Error(KeyChecks::kCheap), "");
  EXPECT_THAT(Error(KeyChecks::kEveryKey),
              HasSubstr("Index.db: nothing shows that it has the key of every "
                        "partition, because Statistics.db does not tell how "
                        "many there are; "));
}

// One entry of Index.db has a wrong promoted index size, which hides the next
// entry.
TEST_P(CheckedIndexDbTest, AnEntryInThePromotedIndexOfAnother) {
  std::string damaged = ReadFile(Path("Index.db"));
  const size_t hidden = EntryOf(sstable_.keys[6]);
  damaged[hidden - 1] = static_cast<char>(EntryOf(sstable_.keys[7]) - hidden);
  WriteFile(Path("Index.db"), damaged);
  EXPECT_THAT(Error(KeyChecks::kCheap), HasSubstr("but Statistics.db counts"));
  std::filesystem::remove(Path("Statistics.db"));
  EXPECT_THAT(Error(KeyChecks::kEveryKey),
              HasSubstr("nothing shows that it has the key of every"));
}

// A damaged Summary.db is no error, because Cassandra makes a new one.
TEST_P(CheckedIndexDbTest, SummaryIsCut) {
  const std::string whole = ReadFile(Path("Summary.db"));
  for (const size_t size :
       {size_t{0}, size_t{7}, size_t{30}, whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(size);
    WriteFile(Path("Summary.db"), whole.substr(0, size));
    ExpectBoth(IsEmpty());
  }
}

TEST_P(CheckedIndexDbTest, AFlippedBitOfAKey) {
  const std::string whole = ReadFile(Path("Index.db"));
  for (const size_t number : {0U, 1U, 128U, 500U, 999U}) {
    SCOPED_TRACE(number);
    const size_t at = EntryOf(sstable_.keys[number]) + 2;
    std::string damaged = whole;
    damaged[at] ^= 1;
    WriteFile(Path("Index.db"), damaged);
    const std::string error = Error(KeyChecks::kEveryKey);
    EXPECT_THAT(error, HasSubstr("Index.db: byte "));
    EXPECT_THAT(error,
                EndsWith("; one of the files is damaged or of another SSTable: "
                         "let the database rewrite the SSTable (nodetool "
                         "scrub)"));
    WriteFile(Path("Index.db"), whole);
  }
}

TEST_P(CheckedIndexDbTest, OnlyDataDbShowsIt) {
  std::string index = ReadFile(Path("Index.db"));
  index[EntryOf(sstable_.keys[500]) + 2] ^= 1;
  WriteFile(Path("Index.db"), index);
  std::filesystem::remove(Path("Summary.db"));
  std::filesystem::remove(Path("Statistics.db"));
  EXPECT_EQ(Error(KeyChecks::kCheap), "");
  EXPECT_THAT(Error(KeyChecks::kEveryKey),
              HasSubstr(": another key than at position "));
}

TEST_P(CheckedIndexDbTest, TheOrderOfTokens) {
  std::string index = ReadFile(Path("Index.db"));
  // The changed key has a random token, which almost never lies between the
  // tokens of its two neighbours.
  index[EntryOf(sstable_.keys[500]) + 2] ^= 1;
  WriteFile(Path("Index.db"), index);
  EXPECT_THAT(
      Error(KeyChecks::kCheap),
      HasSubstr("a key that is not in the order of Murmur3Partitioner"));
}

TEST_P(CheckedIndexDbTest, EndsBetweenTwoEntries) {
  const std::string whole = ReadFile(Path("Index.db"));
  for (const size_t number : {1U, 500U, 999U}) {
    WriteFile(Path("Index.db"),
              whole.substr(0, EntryOf(sstable_.keys[number])));
    ExpectBoth(HasSubstr("Index.db: has " + std::to_string(number) +
                         " keys, but Statistics.db counts 1000; "));
    const std::string statistics = ReadFile(Path("Statistics.db"));
    std::filesystem::remove(Path("Statistics.db"));
    ExpectBoth(HasSubstr(number > 900 ? "the last key is not that of Summary"
                                      : ", where Summary.db has one"));
    WriteFile(Path("Statistics.db"), statistics);
    WriteFile(Path("Index.db"), whole);
  }
}

TEST_P(CheckedIndexDbTest, EntriesOfTheMiddleAreMissing) {
  std::string index = ReadFile(Path("Index.db"));
  const size_t from = EntryOf(sstable_.keys[600]);
  index.erase(from, EntryOf(sstable_.keys[603]) - from);
  WriteFile(Path("Index.db"), index);
  EXPECT_THAT(Error(KeyChecks::kCheap),
              HasSubstr("Summary.db has another key for byte "));
  std::filesystem::remove(Path("Summary.db"));
  EXPECT_THAT(Error(KeyChecks::kCheap),
              HasSubstr("has 997 keys, but Statistics.db counts 1000"));
}

TEST_P(CheckedIndexDbTest, OfAnotherSstable) {
  for (const char* const component : {"Index.db", "Summary.db"}) {
    SCOPED_TRACE(component);
    const std::string own = ReadFile(Path(component));
    TakeFromOther(component);
    ExpectBoth(
        HasSubstr("Index.db: byte 0: the first key is not that of "
                  "Summary.db; "));
    WriteFile(Path(component), own);
  }
  TakeFromOther("Index.db");
  TakeFromOther("Summary.db");
  TakeFromOther("Statistics.db");
  EXPECT_THAT(Error(KeyChecks::kEveryKey),
              HasSubstr("Index.db: byte 0: another key than at position 0 of "
                        "Data.db"));
}

TEST_P(CheckedIndexDbTest, PositionsBeyondDataDb) {
  if (!GetParam().lz4) {
    std::filesystem::resize_file(Path("Data.db"), 1000);
    EXPECT_THAT(Error(KeyChecks::kCheap),
                HasSubstr(" of Data.db, which has 1000 bytes uncompressed"));
  }
  std::filesystem::remove(Path("Data.db"));
  ExpectBoth(HasSubstr("Data.db: cannot open: No such file"));
}

// Every SSTable version stores a checksum for each compressed chunk.
TEST_P(CheckedIndexDbTest, DamagedChunk) {
  if (GetParam().lz4) {
    std::string data = ReadFile(Path("Data.db"));
    data[100] ^= 1;
    WriteFile(Path("Data.db"), data);
    EXPECT_EQ(Error(KeyChecks::kCheap), "");
    EXPECT_THAT(Error(KeyChecks::kEveryKey),
                HasSubstr("Data.db: byte 0: chunk 0 (LZ4Compressor) "));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Versions, CheckedIndexDbTest,
    Values(Kind{"ic", false}, Kind{"ic", true}, Kind{"ja", true},
           Kind{"jb", false}, Kind{"jb", true}, Kind{"ka", true},
           Kind{"lb", false}, Kind{"lb", true}, Kind{"mc", false},
           Kind{"me", true}, Kind{"nb", false}, Kind{"nb", true},
           Kind{"oa", true}),
    [](const ::testing::TestParamInfo<Kind>& kind) {
      return std::string(kind.param.version) + (kind.param.lz4 ? "_lz4" : "");
    });

}  // namespace
}  // namespace cassandra_bloom::testing
