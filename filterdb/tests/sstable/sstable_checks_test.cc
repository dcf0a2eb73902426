// SPDX-License-Identifier: Apache-2.0

// Reads every SSTable that Cassandra wrote, and tests damage that is found only
// by comparing the index with the other files of the SSTable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "plugin/filter_db/read_file.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using tools::KeyChecks;
using tools::OpenSstableKeys;

constexpr KeyChecks kBothChecks[] = {KeyChecks::kCheap, KeyChecks::kEveryKey};

// A copy of an SSTable, which a test may damage.
class Copy {
 public:
  explicit Copy(const std::string& folder)
      : keys(HexLines(folder + "/keys.txt")) {
    fs::copy(folder, dir_.path());
    const std::string data = ComponentIn(dir_.path(), "Data.db");
    prefix_ = data.substr(0, data.size() - std::string("Data.db").size());
    std::string error;
    EXPECT_TRUE(SstableVersionOfFileName(data, &version, &error)) << error;
  }

  // What no Cassandra wrote, with 1,000 keys, all of which are in the index.
  Copy(const std::string& made_version, bool lz4) : version(made_version) {
    SstableSpec spec = SpecOf(version);
    spec.folder = dir_.path();
    spec.lz4 = lz4;
    spec.wide_every = 1;
    for (int i = 0; i < 1000; ++i) {
      spec.keys.push_back("key" + std::to_string(i));
    }
    const WrittenSstable written = WriteSstable(spec);
    prefix_ = written.prefix;
    keys = written.keys;
  }

  std::string Path(const std::string& component) const {
    return prefix_ + component;
  }
  bool Has(const std::string& component) const {
    return fs::exists(Path(component));
  }
  std::string IndexPath() const {
    return Path(Has("Partitions.db") ? "Partitions.db" : "Index.db");
  }

  std::unique_ptr<tools::SstableKeys> Open(KeyChecks checks,
                                           std::string* error) const {
    return OpenSstableKeys(IndexPath(), version, checks, error);
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

  // Where the index has a key: the file, and the offset of the key's bytes.
  struct KeyInIndex {
    std::string path;
    size_t offset;
  };
  // Returns those of all partitions. A trie has keys of wide partitions alone.
  std::vector<KeyInIndex> KeysInIndex() const {
    std::string error;
    const bool is_trie = Has("Partitions.db");
    const auto index =
        is_trie ? tools::OpenPartitionsDb(IndexPath(), &error)
                : tools::OpenIndexDb(
                      IndexPath(), FindSstableVersion(version)->index, &error);
    std::vector<KeyInIndex> found;
    for (tools::IndexEntry entry; index->Next(&entry);) {
      if (entry.key) {
        found.push_back({*entry.path, is_trie ? entry.offset - entry.key->size()
                                              : entry.offset + 2});
      }
    }
    EXPECT_EQ(index->error(), "");
    return found;
  }

  static void FlipBitOf(const KeyInIndex& key) {
    std::string index = ReadFile(key.path);
    index[key.offset] ^= 1;
    WriteFile(key.path, index);
  }

  std::string version;
  std::vector<std::string> keys;

 private:
  const TempDir dir_{FolderInMemory()};
  std::string prefix_;
};

void ForEachSstable(const std::function<void(const Copy&)>& check) {
  for (const std::string& folder : SstablesWithKeys()) {
    SCOPED_TRACE(folder);
    check(Copy(folder));
  }
  for (const std::string version : {"ms", "mt", "nb"}) {
    for (const bool lz4 : {false, true}) {
      SCOPED_TRACE(version + (lz4 ? ", LZ4" : ""));
      check(Copy(version, lz4));
    }
  }
}

TEST(SstableChecksTest, Good) {
  ForEachSstable([](const Copy& copy) {
    for (const KeyChecks checks : kBothChecks) {
      std::string error;
      const auto reader = copy.Open(checks, &error);
      ASSERT_NE(reader, nullptr) << error;
      const KeysAndError read = ReadKeys(reader.get());
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(read.keys, copy.keys);
      EXPECT_EQ(reader->num_wrong_hashes(), 0U);
      EXPECT_EQ(reader->bytes_read(), reader->total_bytes());
      std::string_view key;
      EXPECT_FALSE(reader->Next(&key));
    }
  });
}

// Without Statistics.db, nothing shows whether an index lacks keys.
TEST(SstableChecksTest, NothingTellsTheNumber) {
  ForEachSstable([](const Copy& copy) {
    fs::remove(copy.Path("Statistics.db"));
    EXPECT_EQ(copy.Error(KeyChecks::kCheap), "");
    EXPECT_THAT(copy.Error(KeyChecks::kEveryKey),
                HasSubstr(".db: nothing shows that it has the key of every "
                          "partition, because "));
  });
}

TEST(SstableChecksTest, AFlippedBitOfAKey) {
  ForEachSstable([](const Copy& copy) {
    const auto keys = copy.KeysInIndex();
    for (size_t i = 0; i < keys.size(); i += 1 + keys.size() / 4) {
      Copy::FlipBitOf(keys[i]);
      EXPECT_THAT(copy.Error(KeyChecks::kEveryKey),
                  HasSubstr(": another key than at position "));
      Copy::FlipBitOf(keys[i]);
    }
  });
}

// The changed key has a random token, which almost never lies between the
// tokens of its two neighbours.
TEST(SstableChecksTest, TheOrderOfTokens) {
  ForEachSstable([](const Copy& copy) {
    const auto keys = copy.KeysInIndex();
    if (keys.size() < 70) {
      return;
    }
    Copy::FlipBitOf(keys[keys.size() / 2]);
    EXPECT_THAT(
        copy.Error(KeyChecks::kCheap),
        HasSubstr("a key that is not in the order of Murmur3Partitioner"));
    // Without Statistics.db, only Data.db shows it.
    fs::remove(copy.Path("Statistics.db"));
    EXPECT_EQ(copy.Error(KeyChecks::kCheap), "");
  });
}

// Entries are missing at the end, in the middle, or in the promoted index of
// another entry with a wrong size. (partitions_db_reader_test.cc tests tries.)
TEST(SstableChecksTest, EntriesAreMissing) {
  ForEachSstable([](const Copy& copy) {
    if (!copy.Has("Index.db")) {
      return;
    }
    const auto keys = copy.KeysInIndex();
    const std::string path = copy.Path("Index.db");
    const std::string whole = ReadFile(path);
    const std::string counted =
        " keys, but Statistics.db counts " + std::to_string(keys.size()) + "; ";
    const auto entry = [&](size_t number) { return keys[number].offset - 2; };
    for (const size_t number : {size_t{1}, keys.size() / 2, keys.size() - 1}) {
      WriteFile(path, whole.substr(0, entry(number)));
      copy.ExpectBoth(
          HasSubstr("Index.db: has " + std::to_string(number) + counted));
    }
    std::string index = whole;
    index.erase(entry(6), entry(9) - entry(6));
    WriteFile(path, index);
    copy.ExpectBoth(
        HasSubstr("has " + std::to_string(keys.size() - 3) + counted));
  });
}

// Of another table, by the same version.
TEST(SstableChecksTest, OfAnotherSstable) {
  for (const std::string& folder : RecordedSstables()) {
    SCOPED_TRACE(folder);
    const std::string table =
        cassandra_bloom::EndsWith(folder, "plain") ? "wide" : "plain";
    const std::string other = folder.substr(0, folder.rfind('_') + 1) + table;
    const Copy copy(folder);
    for (const std::string component :
         {"Index.db", "Partitions.db", "Rows.db", "Statistics.db"}) {
      if (copy.Has(component)) {
        WriteFile(copy.Path(component),
                  ReadFile(ComponentIn(other, component)));
      }
    }
    EXPECT_THAT(
        copy.Error(KeyChecks::kEveryKey),
        AnyOf(HasSubstr(": another key than at position 0 of Data.db"),
              HasSubstr("the first key is not that of the first partition")));
  }
}

// The cut may be between two keys or chunks, or within one.
TEST(SstableChecksTest, ADataDbThatWasCut) {
  ForEachSstable([](const Copy& copy) {
    if (copy.keys.size() < 13) {
      return;
    }
    const bool is_compressed = copy.Has("CompressionInfo.db");
    const std::string whole = ReadFile(copy.Path("Data.db"));
    for (const size_t size : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
      SCOPED_TRACE(size);
      WriteFile(copy.Path("Data.db"), whole.substr(0, size));
      const std::string bytes = std::to_string(size) + " bytes";
      if (is_compressed) {
        copy.ExpectBoth(AnyOf(HasSubstr("of a Data.db of " + bytes),
                              EndsWith("; the file is damaged")));
      } else if (size != whole.size() - 1) {  // The last row is not read.
        copy.ExpectBoth(AnyOf(
            HasSubstr(" of Data.db, which has " + bytes + " uncompressed"),
            EndsWith(": ends inside a key")));
      }
    }
  });
}

// Every SSTable version stores a checksum for each compressed chunk.
TEST(SstableChecksTest, ADamagedChunk) {
  ForEachSstable([](const Copy& copy) {
    if (!copy.Has("CompressionInfo.db")) {
      return;
    }
    std::string data = ReadFile(copy.Path("Data.db"));
    data[10] ^= 1;  // In the first chunk, which has a key.
    WriteFile(copy.Path("Data.db"), data);
    EXPECT_THAT(copy.Error(KeyChecks::kEveryKey),
                HasSubstr("Data.db: byte 0: chunk 0 ("));
  });
}

// A cheap check reads none of the chunks but the last.
TEST(SstableChecksTest, ACheapCheckDoesNotReadTheDamage) {
  const Copy copy("nb", /*lz4=*/true);
  std::string data = ReadFile(copy.Path("Data.db"));
  data[100] ^= 1;
  WriteFile(copy.Path("Data.db"), data);
  EXPECT_EQ(copy.Error(KeyChecks::kCheap), "");
}

TEST(SstableChecksTest, CompressionInfoIsMissing) {
  ForEachSstable([](const Copy& copy) {
    if (!copy.Has("CompressionInfo.db")) {
      return;
    }
    fs::remove(copy.Path("CompressionInfo.db"));
    copy.ExpectBoth(
        EndsWith("-CompressionInfo.db is missing, but TOC.txt names it"));
    fs::remove(copy.Path("TOC.txt"));
    EXPECT_NE(copy.Error(KeyChecks::kEveryKey), "");
  });
}

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
      const auto reader = files.Open(&error, version);
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
  const TrieSstable sstable = SstableOf({"a", "b", "c"});
  const MadeFiles files(sstable);
  const CompressedData compressed =
      CompressData(sstable.data, "EncryptingLZ4Compressor", 16, INT32_MAX);
  files.Write("Data.db", compressed.data);
  files.Write("CompressionInfo.db", compressed.info);
  files.Write("Partitions.db", std::string(100, 'x'));
  EXPECT_THAT(files.Error(),
              HasSubstr("compressor EncryptingLZ4Compressor: not supported"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
