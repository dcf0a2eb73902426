// SPDX-License-Identifier: Apache-2.0

// Reading the keys of SSTables that Cassandra wrote.

#include "tools/filterdb/sstable/sstable_keys.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/key_reader.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/read_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

using cassandra_bloom::testing::CassandraSstables;
using cassandra_bloom::testing::KeysAndError;
using cassandra_bloom::testing::ReadFile;
using cassandra_bloom::testing::ReadKeys;
using cassandra_bloom::testing::SstablesBesideCorpus;

// The components of an SSTable.
struct Sstable {
  std::string version;
  std::string start;  // Of the components' paths.
  std::string index;  // The path of Partitions.db or Index.db.
};

Sstable SstableIn(const std::string& folder) {
  Sstable sstable;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path();
    for (const std::string_view index : {"Partitions.db", "Index.db"}) {
      if (path.size() > index.size() &&
          path.substr(path.size() - index.size()) == index) {
        sstable.index = path;
        sstable.start = path.substr(0, path.size() - index.size());
        sstable.version = entry.path().filename().string().substr(0, 2);
      }
    }
  }
  return sstable;
}

std::vector<std::string> AllSstables() {
  std::vector<std::string> folders = CassandraSstables();
  const std::vector<std::string> others = SstablesBesideCorpus();
  folders.insert(folders.end(), others.begin(), others.end());
  return folders;
}

TEST(SstableKeysTest, ReadsWhatCassandraWrote) {
  for (const std::string& folder : AllSstables()) {
    SCOPED_TRACE(folder);
    const Sstable sstable = SstableIn(folder);
    ASSERT_NE(sstable.index, "");
    std::string error;
    const auto reader = OpenSstableKeys(sstable.index, sstable.version, &error);
    ASSERT_NE(reader, nullptr) << error;
    const auto keys =
        OpenKeys(folder + "/keys.txt", KeyFormat::kHexLines, &error);
    ASSERT_NE(keys, nullptr) << error;
    const KeysAndError expected = ReadKeys(keys.get());
    ASSERT_EQ(expected.error, "");
    for (int pass = 0; pass < 2; ++pass) {
      const KeysAndError read = ReadKeys(reader.get());
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(read.keys, expected.keys);
      EXPECT_EQ(reader->bytes_read(), reader->total_bytes());
      const PartitionsDbReader* const trie = AsPartitionsDbReader(reader.get());
      ASSERT_EQ(trie != nullptr, IsPartitionsDb(sstable.index));
      if (trie != nullptr) {
        EXPECT_EQ(trie->num_wrong_hashes(), 0U);
        EXPECT_EQ(trie->num_keys(), expected.keys.size());
      }
      std::string_view key;
      EXPECT_FALSE(reader->Next(&key));
      ASSERT_TRUE(reader->Rewind());
      EXPECT_EQ(reader->bytes_read(), 0U);
    }
  }
}

// All were written with bloom_filter_fp_chance 0.01, for the number of their
// keys.
TEST(SstableKeysTest, TheKeysMakeCassandrasFilter) {
  for (const std::string& folder : AllSstables()) {
    SCOPED_TRACE(folder);
    const Sstable sstable = SstableIn(folder);
    std::string error;
    const auto reader = OpenSstableKeys(sstable.index, sstable.version, &error);
    ASSERT_NE(reader, nullptr) << error;
    const KeysAndError read = ReadKeys(reader.get());
    FilterForm form;
    ASSERT_TRUE(FormOfSstableVersion(sstable.version, &form, &error)) << error;
    const std::string filter_path = sstable.start + "Filter.db";
    const auto builder =
        FilterDbBuilder::ForFpChance(0.01, read.keys.size(), form, &error);
    ASSERT_NE(builder, nullptr) << error;
    for (const std::string& key : read.keys) {
      builder->Add(key);
    }
    const cassandra_bloom::testing::TempDir dir;
    ASSERT_TRUE(WriteFilterDbFile(dir / "Filter.db", form,
                                  builder->num_probes(), builder->num_words(),
                                  builder->bits(), false, &error))
        << error;
    EXPECT_TRUE(ReadFile(dir / "Filter.db") == ReadFile(filter_path));
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
