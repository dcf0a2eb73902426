// Whole filters: written, read and queried.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plugin/core/endian.h"
#include "plugin/core/filter_db.h"
#include "plugin/core/filter_view.h"
#include "plugin/core/filter_writer.h"
#include "plugin/core/hash_list.h"
#include "plugin/core/sizing.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"
#include "tests/support/sha256.h"

namespace cassandra_bloom::testing {
namespace {

Hash128 HashOf(const std::string& key) {
  return CassandraMurmur3(key.data(), key.size());
}

template <typename KeyOf>
std::string FilterOf(uint32_t num_keys, int num_probes, uint32_t num_words,
                     KeyOf key_of) {
  HashList hashes;
  for (uint32_t i = 0; i < num_keys; ++i) {
    EXPECT_TRUE(hashes.Add(HashOf(key_of(i))));
  }
  std::string file(FilterDbSize(num_words), '\0');
  WriteFilterDb(hashes, num_probes, num_words, file.data());
  return file;
}

std::string VectorFilter(const std::string& set, uint32_t n, int buckets) {
  const Sizing sizing = *SizingForBitsPerKey(buckets);
  return FilterOf(n, sizing.num_probes, sizing.NumWords(n),
                  [&](uint32_t i) { return VectorKey(set, i); });
}

// Cassandra's own fixture BloomFilter1000: the keys are the int32 numbers 0 to
// 999 in a filter sized for a million.
TEST(FilterTest, EqualsCassandrasFixture) {
  const std::string file = FilterOf(1000, 10, 312501, [](uint32_t i) {
    std::string key(4, '\0');
    StoreBigEndian32(static_cast<int32_t>(i), key.data());
    return key;
  });
  EXPECT_EQ(Sha256(file),
            "4e47232c8a222f8315dc9fd931756f76d530177a8933412abdcf0cadfe57a235");
}

TEST(FilterTest, EqualsCassandra) {
  // Keys of 0 to 64 bytes, with all the signs that tail bytes can have.
  EXPECT_EQ(Sha256(VectorFilter("iii", 1040, 10)),
            "6825f9aae0a91564fc46b6889e955f8ca0476ce7e89e7b63e7d476de4abbee20");
  EXPECT_EQ(Sha256(VectorFilter("i", 100000, 20)),
            "f751c672277e3884d568dbaac5f7a927dd3ce94305f8390102eba3a760b27aea");
  EXPECT_EQ(Sha256(VectorFilter("ii", 0, 10)),
            "2c7cb9d60740ca3636d1b23a15b39ff70f1ef967ac1f339d98888028b4b7b00e");
}

TEST(FilterTest, EqualsCassandraOnItsTable) {
  const auto table = ReadCassandraTable("vectors.tsv");
  SKIP_WITHOUT(table);
  int num_checked = 0;
  for (const auto& fields : table) {
    if (fields[3] != "new") {
      continue;  // A form before `na`, which nothing here writes.
    }
    SCOPED_TRACE(fields[0] + " " + fields[1] + " " + fields[2]);
    const std::string file =
        VectorFilter(fields[0], static_cast<uint32_t>(std::stoul(fields[1])),
                     std::stoi(fields[2]));
    EXPECT_EQ(file.size(), std::stoul(fields[6]));
    EXPECT_EQ(Sha256(file), fields[7]);
    ++num_checked;
  }
  EXPECT_EQ(num_checked, 52);
}

TEST(FilterTest, EqualsTheReference) {
  SCOPED_TRACE(Seed());
  const RandomKeys keys(Seed(), 40);
  for (int num_probes = 1; num_probes <= kMaxReadableProbes; ++num_probes) {
    const uint32_t num_keys = 1 + static_cast<uint32_t>(num_probes) * 37 % 500;
    const uint32_t num_words = 1 + static_cast<uint32_t>(num_probes) * 11 % 90;
    SCOPED_TRACE(num_probes);
    NaiveFilter naive(num_probes, num_words);
    for (uint32_t i = 0; i < num_keys; ++i) {
      naive.Add(keys[i]);
    }
    const std::string file = FilterOf(num_keys, num_probes, num_words,
                                      [&](uint32_t i) { return keys[i]; });
    ASSERT_EQ(file, naive.Serialize());

    FilterDb filter;
    ASSERT_TRUE(ParseFilterDb(file.data(), file.size(), &filter));
    const FilterView view(filter);
    std::vector<Hash128> batch;
    std::vector<bool> expected;
    const auto check_batch = [&] {
      bool may_contain[FilterView::kMaxBatch];
      view.MayContainBatch(batch.data(), batch.size(), may_contain);
      for (size_t i = 0; i < batch.size(); ++i) {
        ASSERT_EQ(may_contain[i], expected[i]);
      }
      batch.clear();
      expected.clear();
    };
    for (uint32_t i = 0; i < 3 * num_keys; ++i) {
      const Hash128 hash = HashOf(keys[i]);
      ASSERT_EQ(view.MayContain(hash), naive.MayContain(keys[i])) << i;
      batch.push_back(hash);
      expected.push_back(naive.MayContain(keys[i]));
      if (batch.size() >= 1 + i % FilterView::kMaxBatch) {
        ASSERT_NO_FATAL_FAILURE(check_batch());
      }
    }
    ASSERT_NO_FATAL_FAILURE(check_batch());
  }
}

TEST(FilterTest, NothingMatchesTheFilterOfNoKeys) {
  const std::string file = VectorFilter("i", 0, 10);
  FilterDb filter;
  ASSERT_TRUE(ParseFilterDb(file.data(), file.size(), &filter));
  EXPECT_FALSE(FilterView(filter).MayContain(HashOf("")));
  EXPECT_FALSE(FilterView(filter).MayContain(HashOf("key")));
}

struct BrokenFile {
  const char* what;
  int32_t num_probes;
  int32_t num_words;
  size_t size;
};

constexpr BrokenFile kBrokenFiles[] = {
    {"empty", 7, 1, 0},
    {"seven bytes", 7, 1, 7},
    {"header only", 7, 1, 8},
    {"header only, no words", 7, 0, 8},
    {"no words, some bits", 7, 0, 16},
    {"negative words", 7, -1, 16},
    {"most negative words", 7, INT32_MIN, 16},
    {"one word too few for the size", 7, 1, 24},
    {"one word too many for the size", 7, 3, 24},
    {"one byte short", 7, 2, 23},
    {"one byte more", 7, 2, 25},
    {"no probes", 0, 2, 24},
    {"negative probes", -1, 2, 24},
    {"most negative probes", INT32_MIN, 2, 24},
    {"too many probes", 65, 2, 24},
    {"far too many probes", INT32_MAX, 2, 24},
    {"the largest filter, without its bits", 7, INT32_MAX, 24},
    {"a size of 2^32 + 16 bytes, cut to 32 bits", 7, 0x20000001, 16},
};

TEST(FilterDbTest, RefusesBrokenFiles) {
  for (const BrokenFile& broken : kBrokenFiles) {
    SCOPED_TRACE(broken.what);
    std::vector<char> header(kFilterDbHeaderSize);
    StoreBigEndian32(broken.num_probes, header.data());
    StoreBigEndian32(broken.num_words, header.data() + 4);
    // Allocated to its size, so that a sanitizer sees a read behind it.
    std::vector<char> file(broken.size);
    std::copy_n(header.begin(), std::min(header.size(), file.size()),
                file.begin());
    FilterDb filter;
    EXPECT_FALSE(ParseFilterDb(file.data(), file.size(), &filter));
    EXPECT_EQ(filter.bits, nullptr);
  }
}

TEST(FilterDbTest, ReadsWhatItMay) {
  for (const int num_probes : {1, 20, 21, 64}) {
    std::vector<char> file(FilterDbSize(2));
    WriteFilterDbHeader(num_probes, 2, file.data());
    FilterDb filter;
    ASSERT_TRUE(ParseFilterDb(file.data(), file.size(), &filter));
    EXPECT_EQ(filter.num_probes, num_probes);
    EXPECT_EQ(filter.capacity_bits(), 128u);
    EXPECT_EQ(filter.bits, file.data() + 8);
  }
}

TEST(FilterDbTest, HeaderIsBigEndian) {
  char header[kFilterDbHeaderSize];
  WriteFilterDbHeader(0x0a, 0x01020304, header);
  EXPECT_EQ(std::string(header, sizeof(header)),
            std::string("\0\0\0\x0a\x01\x02\x03\x04", 8));
}

TEST(HashListTest, KeepsAllInOrder) {
  HashList list;
  static constexpr uint64_t kCount = 20000;  // Several chunks.
  for (uint64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(list.Add({i, ~i}));
    ASSERT_EQ(list.size(), i + 1);
  }
  const auto check = [](const HashList& hashes) {
    uint64_t expected = 0;
    hashes.ForEachRun([&](const Hash128* run, size_t count) {
      for (size_t i = 0; i < count; ++i, ++expected) {
        ASSERT_EQ(run[i], (Hash128{expected, ~expected}));
      }
    });
    EXPECT_EQ(expected, kCount);
  };
  check(list);
  HashList moved(std::move(list));
  check(moved);
  moved.Clear();
  EXPECT_EQ(moved.size(), 0u);
  moved.ForEachRun([](const Hash128*, size_t) { FAIL(); });
  ASSERT_TRUE(moved.Add({1, 2}));
  EXPECT_EQ(moved.size(), 1u);
}

}  // namespace
}  // namespace cassandra_bloom::testing
