// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

using tools::kMaxTrieDepth;

// Returns the error for a damaged byte of Partitions.db.
std::string Damaged(uint64_t byte, const std::string& what) {
  return "da-1-bti-Partitions.db: byte " + std::to_string(byte) + ": " + what +
         "; the file is damaged";
}

// Returns the error for a byte of one file that does not agree with another
// file.
std::string Different(uint64_t byte, const std::string& what,
                      const std::string& component = "Partitions.db") {
  return "da-1-bti-" + component + ": byte " + std::to_string(byte) + ": " +
         what + "; one of the files is damaged, missing or of another SSTable";
}

// ---- Random tries ----

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Below(uint64_t limit) { return NextRandom(&state_) % limit; }

 private:
  uint64_t state_;
};

// Returns a node of a random type that fits, and its payload.
std::string RandomTrieNode(const TriePayload& payload,
                           const std::vector<TrieChild>& children,
                           Random* random) {
  int type = 0;
  do {
    type = static_cast<int>(random->Below(16));
  } while (!FitsTrieNode(type, payload.flags != 0, children));
  // Cassandra also leaves gaps between nodes, before the end of a page.
  const size_t gap = random->Below(20) == 0 ? random->Below(6000) : 0;
  return EncodeTrieNode(type, payload.flags, children) + payload.bytes +
         std::string(gap, '\x55');
}

// The position has up to 7 bytes more than it needs. With fewer than 8 bytes,
// a payload may have no hash.
TriePayload RandomPayload(const std::string& key, int64_t position,
                          Random* random) {
  const int size =
      std::max(BytesOfSigned(position), static_cast<int>(1 + random->Below(8)));
  const TriePayload payload = TriePayloadOf(key, position, size);
  return size < 8 && random->Below(4) == 0
             ? TriePayload{size, payload.bytes.substr(1)}
             : payload;
}

std::string RandomPath(Random* random) {
  std::string path;
  const uint64_t size = random->Below(6);
  for (uint64_t i = 0; i < size; ++i) {
    path += static_cast<char>(random->Below(random->Below(2) == 0 ? 4 : 256));
  }
  return path;
}

TrieSstable RandomSstable(Random* random, std::vector<std::string>* keys) {
  std::map<std::string, TriePayload> payloads;
  for (uint64_t i = 1 + random->Below(400); i > 0; --i) {
    payloads[RandomPath(random)];
  }
  TrieSstable sstable;
  uint64_t number = 0;
  const uint64_t seed = random->Below(UINT64_MAX);
  for (auto& [path, payload] : payloads) {
    const std::string key =
        RandomKeys(seed, number % 50 == 0 ? 3000 : 40)[number];
    ++number;
    keys->push_back(key);
    const uint64_t in_data = sstable.data.size();
    auto position = ~static_cast<int64_t>(in_data);
    if (random->Below(3) == 0) {
      position = static_cast<int64_t>(sstable.rows.size());
      sstable.rows += WithLength(key) + '\xe0' + BigEndian(in_data, 3) +
                      std::string(random->Below(9), 'r');
    }
    payload = RandomPayload(key, position, random);
    sstable.data += WithLength(key) + std::string(1 + random->Below(300), 'd');
  }
  const auto encode = [random](const auto& payload, const auto& children) {
    return RandomTrieNode(payload, children, random);
  };
  sstable.root = AppendTrie(payloads, encode, &sstable.nodes);
  sstable.num_keys = keys->size();
  sstable.first_key = keys->front();
  sstable.last_key = keys->back();
  return sstable;
}

TEST(PartitionsDbReaderTest, ReadsRandomTries) {
  SCOPED_TRACE(Seed());
  Random random(Seed());
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::string> keys;
    const TrieSstable sstable = RandomSstable(&random, &keys);
    const MadeFiles files(sstable);
    std::string error;
    const auto reader = files.Open(&error);
    ASSERT_NE(reader, nullptr) << error;
    const KeysAndError read = ReadKeys(reader.get());
    ASSERT_EQ(read.error, "");
    ASSERT_EQ(read.keys, keys);
    ASSERT_EQ(reader->num_wrong_hashes(), 0U);
    ASSERT_EQ(reader->bytes_read(), sstable.data.size());
  }
}

// If the reader reports no error, the changed byte is in a hash or a path. Then
// the reader must still return the right keys.
TEST(PartitionsDbReaderTest, NoticesDamage) {
  SCOPED_TRACE(Seed());
  Random random(Seed());
  std::vector<std::string> keys;
  const TrieSstable sstable = RandomSstable(&random, &keys);
  const MadeFiles files(sstable);
  const std::string whole = PartitionsDbOf(sstable);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    char& byte = damaged[random.Below(whole.size())];
    byte = static_cast<char>(byte ^ static_cast<char>(1 + random.Below(255)));
    files.Write("Partitions.db", damaged);
    const KeysAndError read = files.Read();
    EXPECT_TRUE(!read.error.empty() || read.keys == keys);
  }
}

// ---- Reading and errors ----

TEST(PartitionsDbReaderTest, TakesTheShortestAndTheLongestKey) {
  const std::vector<std::string> keys = {std::string(65535, '\xff'), "",
                                         std::string(65535, '\0')};
  const KeysAndError read = MadeFiles(SstableOf(keys, /*filler=*/1)).Read();
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.keys == keys);
}

TEST(PartitionsDbReaderTest, AnErrorIsFinal) {
  TrieSstable sstable = SstableOf({"a", "b", "c"});
  sstable.data[6] = '\1';  // The length of the second key.
  const MadeFiles files(sstable);
  std::string error;
  std::string_view key;
  const auto broken = files.Open(&error);
  ASSERT_NE(broken, nullptr) << error;
  EXPECT_EQ(broken->bytes_read(), 0U);
  ASSERT_TRUE(broken->Next(&key));
  EXPECT_EQ(key, "a");
  EXPECT_EQ(broken->bytes_read(), 3U);
  EXPECT_FALSE(broken->Next(&key));
  EXPECT_FALSE(broken->Next(&key));
  EXPECT_EQ(WithoutFolders(broken->error()),
            "da-1-bti-Data.db: byte 8: ends inside a key");
}

TEST(PartitionsDbReaderTest, CountsWrongHashes) {
  TrieSstable sstable = SstableOf({"a", "b", "c", "d"});
  const size_t leaf_size = 10;
  for (const size_t leaf : {1U, 3U}) {
    sstable.nodes[leaf * leaf_size + 1] ^= 1;
  }
  const MadeFiles files(sstable);
  std::string error;
  const auto reader = files.Open(&error);
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(reader->num_wrong_hashes(), 0U);
  const KeysAndError read = ReadKeys(reader.get());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.keys.size(), 4U);
  EXPECT_EQ(reader->num_wrong_hashes(), 2U);
}

TEST(PartitionsDbReaderTest, TellsThatAFileWasTruncated) {
  TrieSstable sstable = SstableOf({"a", "b"}, /*filler=*/300000);
  const MadeFiles files(sstable);
  std::string error;
  const auto reader = files.Open(&error);
  ASSERT_NE(reader, nullptr) << error;
  ASSERT_EQ(truncate(files.Path("Data.db").c_str(), 200000), 0);
  EXPECT_EQ(WithoutFolders(ReadKeys(reader.get()).error),
            "da-1-bti-Data.db: was truncated while it was read: byte 300003 of "
            "600006 is missing");
}

// ---- Damaged files ----

// The position of the root node if SstableOf gets one key.
constexpr uint64_t kRoot = 10;

TrieSstable OneKey() { return SstableOf({"a"}); }

struct Broken {
  const char* what;
  std::function<void(TrieSstable*)> breaks;
  std::string error;
  std::vector<std::string> keys = {"a"};
};

// Returns a function that replaces the root node by `bytes`.
std::function<void(TrieSstable*)> Root(const std::string& bytes) {
  return [bytes](TrieSstable* sstable) {
    sstable->nodes.resize(kRoot);
    sstable->nodes += bytes;
  };
}

// Makes a trie of one leaf below a chain of `depth` nodes.
void MakeDeep(TrieSstable* sstable, size_t depth) {
  sstable->nodes = LeafAt("a", 0);
  uint64_t distance = sstable->nodes.size();
  for (size_t i = 0; i < depth; ++i) {
    sstable->root = sstable->nodes.size();
    sstable->nodes += EncodeTrieNode(2, 0, {{1, distance}});
    distance = 3;
  }
}

const Broken kBrokenTries[] = {
    {"a node is its child", Root(EncodeTrieNode(2, 0, {{1, 0}})),
     Damaged(10, "a node is its own child")},
    {"a cycle in a short node", Root(std::string(1, '\x10') + "a"),
     Damaged(10, "a node is its own child")},
    {"a child before the file", Root(EncodeTrieNode(2, 0, {{1, 11}})),
     Damaged(10, "a child 11 bytes before, outside of the file")},
    {"a child far before the file",
     Root(EncodeTrieNode(15, 0, {{1, UINT64_MAX}})),
     Damaged(10,
             "a child 18446744073709551615 bytes before, outside of the file")},
    {"no children", Root(std::string("\x50\0", 2)),
     Damaged(10, "a node of type 5 without children")},
    {"only absent children", Root(std::string("\xb0\0\0\0\0", 5)),
     Damaged(10, "a node of type 11 without children")},
    {"a leaf without a payload", Root(std::string(1, '\0')),
     Damaged(10, "a leaf without a payload")},
    {"half a node", Root(std::string("\xf0\0\xff", 3)),
     Damaged(10, "a node of type 15 that ends beyond the trie")},
    {"half a payload",
     Root(std::string("\x0f"
                      "1234567",
                      8)),
     Damaged(10, "a node of type 0 that ends beyond the trie")},
    {"too deep", [](auto* sstable) { MakeDeep(sstable, kMaxTrieDepth + 1); },
     Damaged(10, "a path that is longer than that of the longest key")},
    {"a leaf twice",
     [](auto* sstable) {
       Root(EncodeTrieNode(5, 0, {{1, 10}, {2, 10}}))(sstable);
       sstable->num_keys = 2;
     },
     Different(0, "a partition at position 0 of Data.db after one at 0")},
    {"fewer keys than in the footer",
     [](auto* sstable) { sstable->num_keys = 3; },
     Damaged(20, "the trie has 2 keys, but the footer says 3"),
     {"a", "b"}},
    {"more keys than in the footer",
     [](auto* sstable) {
       sstable->num_keys = 1;
       sstable->last_key = "a";
     },
     Damaged(10, "the trie has more keys than the footer says, 1"),
     {"a", "b"}},
    {"another first key", [](auto* sstable) { sstable->first_key = "b"; },
     Different(15, "the first key is not that of the first partition")},
    {"another last key", [](auto* sstable) { sstable->last_key = "aa"; },
     Different(18, "the last key is not that of the last partition")},
    {"no keys", [](auto* sstable) { sstable->num_keys = 0; },
     Damaged(29, "0 keys in a trie of 15 bytes")},
    {"too many keys", [](auto* sstable) { sstable->num_keys = 16; },
     Damaged(29, "16 keys in a trie of 15 bytes")},
    {"a negative number of keys",
     [](auto* sstable) { sstable->num_keys = UINT64_MAX; },
     Damaged(29, "-1 keys in a trie of 15 bytes")},
    {"the root behind the nodes", [](auto* sstable) { sstable->root = 15; },
     Damaged(37, "the root's position 15 is not within the trie of 15 bytes")},
    {"a negative root", [](auto* sstable) { sstable->root = UINT64_MAX; },
     Damaged(37, "the root's position -1 is not within the trie of 15 bytes")},
    {"no nodes", [](auto* sstable) { sstable->nodes.clear(); },
     Damaged(6, "the first key's position 0 is not within the file")},
    {"the first partition not at 0",
     [](auto* sstable) { sstable->nodes.replace(0, kRoot, LeafAt("a", 1)); },
     Different(0, "the first partition is at position 1 of Data.db, not at 0")},
    {"a partition outside of Data.db",
     [](auto* sstable) { sstable->nodes.replace(10, 10, LeafAt("b", 12)); },
     Different(10,
               "a partition at position 12 of Data.db, which has 12 bytes "
               "uncompressed"),
     {"a", "b"}},
    {"a partition before the last",
     [](auto* sstable) { sstable->nodes.replace(20, 10, LeafAt("c", 5)); },
     Different(20, "a partition at position 5 of Data.db after one at 6"),
     {"a", "b", "c"}},
    {"a partition within the last",
     [](auto* sstable) { sstable->nodes.replace(10, 10, LeafAt("b", 2)); },
     Different(10, "a partition at position 2 of Data.db, within the one at 0"),
     {"a", "b"}},
    {"half a length",
     [](auto* sstable) { sstable->data.resize(7); },
     "da-1-bti-Data.db: byte 6: ends inside a key",
     {"a", "b"}},
};

TEST(PartitionsDbReaderTest, RefusesBrokenTries) {
  for (const Broken& broken : kBrokenTries) {
    SCOPED_TRACE(broken.what);
    TrieSstable sstable = SstableOf(broken.keys);
    broken.breaks(&sstable);
    EXPECT_EQ(MadeFiles(sstable).Error(), broken.error);
  }
  EXPECT_EQ(MadeFiles(OneKey()).Error(), "");
}

TEST(PartitionsDbReaderTest, ReadsTheDeepestTrie) {
  TrieSstable sstable = OneKey();
  MakeDeep(&sstable, kMaxTrieDepth);
  EXPECT_EQ(MadeFiles(sstable).Error(), "");
}

// Returns an SSTable whose only key is read in Rows.db.
TrieSstable InRows(const std::string& rows) {
  TrieSstable sstable = OneKey();
  sstable.nodes = EncodeTrieNode(0, 8, {}) + TriePayloadOf("a", 1, 1).bytes;
  sstable.root = 0;
  sstable.rows = "r" + rows;
  return sstable;
}

TEST(PartitionsDbReaderTest, RefusesBrokenRows) {
  const std::string key = WithLength("a");
  const auto ends_inside = [](int byte, const std::string& what) {
    return "da-1-bti-Rows.db: byte " + std::to_string(byte) + ": ends inside " +
           what + "; the file is damaged";
  };
  const struct {
    std::string rows;
    std::string error;
  } cases[] = {
      {key + '\0', ""},
      {"",
       "da-1-bti-Partitions.db: byte 0: a partition at position 1 of Rows.db, "
       "which has 1 bytes; one of the two files is damaged"},
      {"\1", ends_inside(1, "a key")},
      {key.substr(0, 2), ends_inside(3, "a key")},
      {key, ends_inside(4, "a position")},
      {key + "\xff" + std::string(7, '\0'), ends_inside(4, "a position")},
      {key + "\xff" + std::string(8, '\xff'),
       Different(4,
                 "a partition at position 18446744073709551615 of Data.db, "
                 "which has 6 bytes uncompressed",
                 "Rows.db")},
      {key + '\5',
       Different(4, "the first partition is at position 5 of Data.db, not at 0",
                 "Rows.db")},
      {WithLength("12345") + '\0',
       Different(8,
                 "a key of 5 bytes at position 0 of Data.db, which has 6 bytes "
                 "uncompressed",
                 "Rows.db")},
      {WithLength("b") + '\0',
       Different(3, "the first key is not that of the first partition")},
  };
  for (const auto& [rows, error] : cases) {
    EXPECT_EQ(MadeFiles(InRows(rows)).Error(), error);
  }
}

TEST(PartitionsDbReaderTest, RefusesEveryCutOfPartitionsDb) {
  const MadeFiles files(SstableOf({"alice", "bob"}));
  const std::string whole = PartitionsDbOf(SstableOf({"alice", "bob"}));
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    files.Write("Partitions.db", whole.substr(0, size));
    EXPECT_THAT(files.Error(),
                ::testing::StartsWith("da-1-bti-Partitions.db: byte "));
  }
  files.Write("Partitions.db", whole + '\0');
  EXPECT_NE(files.Error(), "");
}

TEST(PartitionsDbReaderTest, RefusesBrokenKeysBeforeTheFooter) {
  const TrieSstable sstable = OneKey();
  const MadeFiles files(sstable);
  const std::string footer = BigEndian(sstable.nodes.size(), 8) +
                             BigEndian(1, 8) + BigEndian(sstable.root, 8);
  const auto error = [&](const std::string& keys) {
    files.Write("Partitions.db", sstable.nodes + keys + footer);
    return files.Error();
  };
  const std::string key = WithLength("a");
  EXPECT_EQ(error(key + key), "");
  const auto end_at = [](int end, int footer_at) {
    return Damaged(15, "the first and the last key end at byte " +
                           std::to_string(end) + ", and the footer begins at " +
                           std::to_string(footer_at));
  };
  EXPECT_EQ(error(key + key + "x"), end_at(21, 22));
  EXPECT_EQ(error(key + WithLength("aa").substr(0, 3)), end_at(22, 21));
  EXPECT_EQ(error(key), end_at(20, 18));
  EXPECT_THAT(error(key + "\1"),
              ::testing::EndsWith("ends inside the last key; the file is "
                                  "damaged"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
