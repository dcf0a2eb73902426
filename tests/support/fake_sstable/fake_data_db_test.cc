// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_data_db.h"

#include <gtest/gtest.h>
#include <lz4.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/cassandra_sstables.h"
#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/fake_sstable/naive_sstable.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

TEST(ChecksumsTest, DigestsAreCassandras) {
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    EXPECT_EQ(std::to_string(Crc32(ReadFile(folder + "/da-1-bti-Data.db"))),
              ReadFile(folder + "/da-1-bti-Digest.crc32"));
  }
}

TEST(ChecksumsTest, KnownValues) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926);
  EXPECT_EQ(Crc32("6789", Crc32("12345")), 0xcbf43926);
  EXPECT_EQ(Adler32("Wikipedia"), 0x11e60398U);
  EXPECT_EQ(Adler32("pedia", Adler32("Wiki")), 0x11e60398U);
}

// ---- Compression ----

// The kind of a chunk's checksum, and the bytes from which it is computed.
enum class Check { kCrcOfUncompressed, kAdlerOfStored, kCrcOfStored };

struct Compressed {
  std::string name;
  size_t chunk_bytes;
  uint64_t data_bytes;
  std::vector<uint64_t> offsets;
  uint64_t max_bytes = 0x7fffffff;
};

Compressed ReadInfo(const std::string& info, bool has_max) {
  Compressed read;
  read.name = NaiveText(info, 0);
  uint64_t at = 2 + read.name.size();
  const uint64_t options = NaiveNumber(info, at, 4);
  at += 4;
  for (uint64_t i = 0; i < 2 * options; ++i) {
    at += 2 + NaiveNumber(info, at, 2);
  }
  read.chunk_bytes = NaiveNumber(info, at, 4);
  at += 4;
  if (has_max) {
    read.max_bytes = NaiveNumber(info, at, 4);
    at += 4;
  }
  read.data_bytes = NaiveNumber(info, at, 8);
  const uint64_t chunks = NaiveNumber(info, at + 8, 4);
  at += 12;
  for (uint64_t i = 0; i < chunks; ++i) {
    read.offsets.push_back(NaiveNumber(info, at + 8 * i, 8));
  }
  EXPECT_EQ(info.size(), at + 8 * chunks);
  return read;
}

std::string UncompressLz4(const std::string& body, size_t max_size) {
  size_t size = 0;
  for (size_t i = 4; i > 0; --i) {
    size = size * 256 + NaiveByte(body, i - 1);
  }
  if (size > max_size) {
    ADD_FAILURE() << "a chunk of " << size << " bytes";
    return "";
  }
  std::string chunk(size, '\0');
  EXPECT_EQ(LZ4_decompress_safe(body.data() + 4, chunk.data(),
                                static_cast<int>(body.size() - 4),
                                static_cast<int>(size)),
            static_cast<int>(size));
  return chunk;
}

// The tests compare long contents with EXPECT_TRUE(a == b), because a failed
// EXPECT_EQ would take minutes.

// Adds the number of chunks that are stored uncompressed to *raw.
std::string Uncompress(const std::string& data, const Compressed& info,
                       Check check, size_t* raw) {
  std::string content;
  for (size_t i = 0; i < info.offsets.size(); ++i) {
    const uint64_t end =
        i + 1 < info.offsets.size() ? info.offsets[i + 1] : data.size();
    const std::string body =
        data.substr(info.offsets[i], end - 4 - info.offsets[i]);
    const bool is_raw = body.size() >= info.max_bytes;
    const std::string chunk =
        is_raw ? body : UncompressLz4(body, info.chunk_bytes);
    *raw += is_raw;
    const uint32_t checksum = check == Check::kAdlerOfStored ? Adler32(body)
                              : check == Check::kCrcOfStored ? Crc32(body)
                                                             : Crc32(chunk);
    EXPECT_EQ(NaiveNumber(data, end - 4, 4), checksum);
    EXPECT_TRUE(chunk.size() == info.chunk_bytes ||
                i + 1 == info.offsets.size());
    content += chunk;
  }
  EXPECT_GE(content.size(), info.data_bytes);
  return content.substr(0, info.data_bytes);
}

// Tests that Uncompress and ReadInfo can read files that Cassandra wrote.
TEST(FakeDataDbTest, CassandrasLz4IsRead) {
  const std::string prefix =
      CassandraSstable("s7d_lz4high_opts") + "/da-1-bti-";
  const Compressed info =
      ReadInfo(ReadFile(prefix + "CompressionInfo.db"), true);
  EXPECT_EQ(info.name, "LZ4Compressor");
  size_t raw = 0;
  const std::string content =
      Uncompress(ReadFile(prefix + "Data.db"), info, Check::kCrcOfStored, &raw);
  const std::string first_key =
      HexLines(CassandraSstable("s7d_lz4high_opts") + "/keys.txt").at(0);
  EXPECT_EQ(NaiveText(content, 0), first_key);
}

SstableSpec SpecOf(const std::string& folder, const std::string& version) {
  SstableSpec spec;
  spec.folder = folder;
  spec.version = version;
  spec.row_bytes = 100;
  spec.chunk_bytes = 4096;
  for (int i = 0; i < 1000; ++i) {
    spec.keys.push_back("key" + std::to_string(i));
  }
  return spec;
}

TEST(FakeDataDbTest, CompressedHasTheSameContent) {
  const struct {
    std::string version;
    bool has_max;
    Check check;
  } cases[] = {{"ia", false, Check::kCrcOfUncompressed},
               {"ic", false, Check::kCrcOfUncompressed},
               {"ja", false, Check::kCrcOfUncompressed},
               {"jb", false, Check::kAdlerOfStored},
               {"ka", false, Check::kAdlerOfStored},
               {"lb", false, Check::kAdlerOfStored},
               {"ma", false, Check::kCrcOfStored},
               {"me", false, Check::kCrcOfStored},
               {"ms", false, Check::kCrcOfStored},
               {"na", true, Check::kCrcOfStored},
               {"oa", true, Check::kCrcOfStored},
               {"da", true, Check::kCrcOfStored}};
  for (const auto& [version, has_max, check] : cases) {
    SCOPED_TRACE(version);
    const TempDir dir;
    SstableSpec spec = SpecOf(dir.path(), version);
    const std::string content = ReadFile(WriteSstable(spec).Path("Data.db"));
    spec.lz4 = true;
    const WrittenSstable sstable = WriteSstable(spec);
    const std::string data = ReadFile(sstable.Path("Data.db"));
    EXPECT_LT(data.size(), content.size());
    const Compressed info =
        ReadInfo(ReadFile(sstable.Path("CompressionInfo.db")), has_max);
    EXPECT_EQ(info.name, "LZ4Compressor");
    EXPECT_EQ(info.chunk_bytes, 4096U);
    size_t raw = 0;
    EXPECT_TRUE(Uncompress(data, info, check, &raw) == content);
    EXPECT_EQ(raw, 0U);
  }
}

TEST(FakeDataDbTest, ChunksThatDoNotShrinkAreStoredAsTheyAre) {
  const TempDir dir;
  SstableSpec spec = SpecOf(dir.path(), "nb");
  uint64_t random = 1;
  for (std::string& key : spec.keys) {
    key.clear();
    while (key.size() < 90) {
      key.push_back(static_cast<char>(NextRandom(&random)));
    }
  }
  spec.row_bytes = 0;
  const std::string content = ReadFile(WriteSstable(spec).Path("Data.db"));
  spec.lz4 = true;
  spec.max_compressed_bytes = 3000;
  const WrittenSstable sstable = WriteSstable(spec);
  const Compressed info =
      ReadInfo(ReadFile(sstable.Path("CompressionInfo.db")), true);
  EXPECT_EQ(info.max_bytes, 3000U);
  size_t raw = 0;
  EXPECT_TRUE(Uncompress(ReadFile(sstable.Path("Data.db")), info,
                         Check::kCrcOfStored, &raw) == content);
  EXPECT_GT(raw, info.offsets.size() - 2);
}

// ---- The digest ----

TEST(FakeDataDbTest, DigestIsOfTheWholeFile) {
  for (const bool lz4 : {false, true}) {
    for (const std::string version : {"ka", "lb", "ma", "oa", "da"}) {
      SCOPED_TRACE(version);
      const TempDir dir;
      SstableSpec spec = SpecOf(dir.path(), version);
      spec.lz4 = lz4;
      const WrittenSstable sstable = WriteSstable(spec);
      const std::string data = ReadFile(sstable.Path("Data.db"));
      if (version == "ka") {
        for (const std::string& name : dir.Names()) {
          EXPECT_EQ(name.find("Digest"), std::string::npos);
        }
      } else if (version == "lb") {
        EXPECT_EQ(ReadFile(sstable.Path("Digest.adler32")),
                  std::to_string(Adler32(data)));
      } else {
        EXPECT_EQ(ReadFile(sstable.Path("Digest.crc32")),
                  std::to_string(Crc32(data)));
      }
    }
  }
}

TEST(FakeDataDbTest, FullDiskThrows) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full";
  }
  DataDb data("/dev/full", FactsOfVersion("nb"), nullptr);
  EXPECT_ANY_THROW({
    data.Append(std::string(1 << 20, 'x'));
    data.Close();
  });
}

}  // namespace
}  // namespace cassandra_bloom::testing
