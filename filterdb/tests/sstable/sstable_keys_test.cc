// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable_keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/sstable.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using tools::KeyChecks;
using tools::KeyOrder;
using tools::OpenSstableKeys;

// After a compaction, CompressionInfo.db lists one chunk more than the data
// needs.
TEST(SstableKeysTest, ReadsWhatACompactionLeaves) {
  ASSERT_EQ(CompactedSstables().size(), 2U);
  for (const std::string& folder : CompactedSstables()) {
    SCOPED_TRACE(folder);
    std::string error;
    const auto reader = OpenSstableKeys(ComponentIn(folder, "Partitions.db"),
                                        "da", KeyChecks::kEveryKey, &error);
    ASSERT_NE(reader, nullptr) << error;
    const auto filter = FilterDbFile::Open(ComponentIn(folder, "Filter.db"),
                                           kNaAndLater, &error);
    ASSERT_NE(filter, nullptr) << error;
    const KeysAndError read = ReadKeys(reader.get());
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.keys.size(), 6000U);
    EXPECT_EQ(reader->num_wrong_hashes(), 0U);
    for (const std::string& key : read.keys) {
      ASSERT_TRUE(filter->MayContain(key));
    }
  }
}

// ---- Opening the files ----

// Returns the error of opening a small SSTable without the file `without`.
std::string ErrorWithout(const std::string& without,
                         const std::string& version) {
  const MadeFiles files(SstableOf({"alice", "bob"}));
  files.Remove(without);
  std::string error;
  const auto reader = files.Open(&error, version);
  EXPECT_EQ(reader == nullptr, !error.empty());
  return WithoutFolders(error);
}

TEST(SstableKeysTest, NeedsTheOtherComponents) {
  EXPECT_EQ(ErrorWithout("CompressionInfo.db", "da"), "");
  for (const std::string component : {"Partitions.db", "Data.db", "Rows.db"}) {
    EXPECT_EQ(
        ErrorWithout(component, "da"),
        "da-1-bti-" + component + ": cannot open: No such file or directory");
  }
}

// A pipe without a writer must not be waited for.
TEST(SstableKeysTest, RefusesWhatIsNoFile) {
  for (const std::string component :
       {"Partitions.db", "Data.db", "Rows.db", "CompressionInfo.db"}) {
    const MadeFiles files(SstableOf({"alice", "bob"}));
    files.Remove(component);
    ASSERT_EQ(mkfifo(files.Path(component).c_str(), 0600), 0);
    EXPECT_EQ(files.Error(), "da-1-bti-" + component + ": not a regular file");
  }
}

TEST(SstableKeysTest, KnowsVersions) {
  for (const char* const version :
       {"da", "ms", "mt", "ad", "bb", "cc", "ea", "na-and-later", "ma-to-me"}) {
    EXPECT_EQ(ErrorWithout("", version), "");
  }
  for (const std::string version : {"nb", "me", "ka", "oa", "before-ma"}) {
    EXPECT_EQ(ErrorWithout("", version),
              "da-1-bti-Partitions.db: an SSTable of version " + version +
                  " has no Partitions.db but an Index.db");
  }
  EXPECT_EQ(ErrorWithout("", "zz").rfind(
                "da-1-bti-Partitions.db: SSTable version 'zz' is unknown", 0),
            0U);
}

// An index with any other name is read as an Index.db.
TEST(SstableKeysTest, OtherFilesAreAnIndexDb) {
  const TemporaryFile index(std::string("\0\5alice\0\0", 9));
  std::string error;
  const auto reader =
      OpenSstableKeys(index.path(), "nb", KeyChecks::kEveryKey, &error);
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(ReadKeys(reader.get()).keys, std::vector<std::string>{"alice"});
  EXPECT_EQ(OpenSstableKeys(index.path(), "da", KeyChecks::kEveryKey, &error),
            nullptr);
  EXPECT_EQ(error.rfind(index.path() + ": an SSTable of version da has no "
                                       "Index.db but a trie",
                        0),
            0U)
      << error;
}

// ---- The order of keys ----

// Returns how many keys are not in order.
size_t OutOfOrder(const std::string& partitioner,
                  const std::vector<std::string>& keys) {
  KeyOrder order(partitioner);
  size_t number = 0;
  for (const std::string& key : keys) {
    const auto hash = CassandraMurmur3(key.data(), key.size());
    number += order.Follows(key, hash) ? 0 : 1;
  }
  return number;
}

TEST(KeyOrderTest, CassandrasOrderByToken) {
  for (const std::string& folder : CassandraSstables()) {
    std::vector<std::string> keys = HexLines(folder + "/keys.txt");
    EXPECT_EQ(OutOfOrder("Murmur3Partitioner", keys), 0U);
    if (keys.size() > 1) {
      std::swap(keys[0], keys[1]);
      EXPECT_EQ(OutOfOrder("Murmur3Partitioner", keys), 1U);
      EXPECT_EQ(OutOfOrder("RandomPartitioner", keys), 0U);
    }
  }
}

// The empty key is the first. The order of bytes is that of unsigned numbers.
TEST(KeyOrderTest, SpecialKeys) {
  EXPECT_EQ(OutOfOrder("Murmur3Partitioner", {"", "a"}), 0U);
  EXPECT_EQ(OutOfOrder("Murmur3Partitioner", {"a", ""}), 1U);
  EXPECT_EQ(OutOfOrder("Murmur3Partitioner", {"", ""}), 1U);
  EXPECT_EQ(OutOfOrder("ByteOrderedPartitioner", {"", "a", "aa", "b", "\xff"}),
            0U);
  EXPECT_EQ(OutOfOrder("ByteOrderedPartitioner", {"\x80", "\x7f"}), 1U);
  EXPECT_EQ(OutOfOrder("ByteOrderedPartitioner", {"a", "a"}), 1U);
}

// ---- Names of components ----

TEST(ComponentNameTest, Parts) {
  const auto one = tools::ParseComponentName("nb-1-big-Filter.db");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->name_prefix, "nb-1-big-");
  EXPECT_EQ(one->component, "Filter.db");
  EXPECT_EQ(tools::ParseComponentName("ks-my-cf-ic-12-Data.db")->name_prefix,
            "ks-my-cf-ic-12-");
  EXPECT_EQ(tools::ParseComponentName("nb-1-big-SAI+aa+Meta.db")->name_prefix,
            "nb-1-big-");
  for (const std::string_view name :
       {"", "-", "Filter.db", "-Filter.db", "nb-1-big-", "nb-1-big-Other.db",
        "nb-1-big-Filter.db.bak", "nb-1-big-Filter.db.cassandra_bloom-new",
        "nb-1-big-SAI+aa+Meta.txt"}) {
    EXPECT_FALSE(tools::ParseComponentName(name)) << name;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
