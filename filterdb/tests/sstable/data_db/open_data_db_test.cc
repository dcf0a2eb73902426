// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/data_db/open_data_db.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using tools::ByteSource;

constexpr const char* kCompressors[] = {
    "LZ4Compressor",  "SnappyCompressor",       "DeflateCompressor",
    "ZstdCompressor", "LZ4WithDictsCompressor", "ZstdWithDictsCompressor",
    "NoopCompressor"};

constexpr const char* kWithDictionary[] = {"LZ4WithDictsCompressor",
                                           "ZstdWithDictsCompressor"};

class Files {
 public:
  Files(const std::string& data, const std::string& info) {
    WriteFile(dir_ / "Data.db", data);
    WriteFile(dir_ / "CompressionInfo.db", info);
  }

  std::unique_ptr<ByteSource> Open(
      std::string* error, bool has_max_compressed_length = true) const {
    return tools::OpenDataDb(dir_ / "", has_max_compressed_length ? "da" : "ms",
                             error);
  }

  // Returns the error of opening Data.db or of reading it byte by byte, or "".
  std::string Error(bool has_max_compressed_length = true) const {
    std::string error;
    try {
      const auto file = Open(&error, has_max_compressed_length);
      std::string_view bytes;
      for (uint64_t at = 0; file != nullptr && at < file->size(); ++at) {
        if (!file->Read(at, 1, &bytes, &error)) {
          break;
        }
      }
    } catch (const tools::NotSupported& not_supported) {
      error = not_supported.what();
    }
    return WithoutFolders(error);
  }

  std::string Path(const std::string& name) const { return dir_ / name; }

 private:
  const TempDir dir_;
};

std::string Text(size_t size) {
  std::string text;
  for (uint64_t i = 0; text.size() < size; ++i) {
    text += "partition " + std::to_string(i * 7919 % 1000) + ", ";
  }
  text.resize(size);
  return text;
}

// ---- Files that Cassandra or ScyllaDB may write ----

TEST(CompressedDataFileTest, ReadsAnyRange) {
  const std::string text = Text(3000);
  for (const char* const compressor : kCompressors) {
    for (const size_t chunk_length : {1U, 2U, 64U, 1024U, 4096U}) {
      for (const int32_t max_compressed : {INT32_MAX, 60, 1}) {
        SCOPED_TRACE(std::string(compressor) + " " +
                     std::to_string(chunk_length));
        const CompressedData compressed =
            CompressData(text, compressor, chunk_length, max_compressed);
        const Files files(compressed.data, compressed.info);
        std::string error;
        const auto file = files.Open(&error);
        ASSERT_NE(file, nullptr) << error;
        ASSERT_EQ(file->size(), text.size());
        for (size_t at = 0; at < text.size(); at += 197) {
          for (const size_t size : {0U, 1U, 2U, 100U, 1500U}) {
            std::string_view bytes;
            if (at + size <= text.size()) {
              ASSERT_TRUE(file->Read(at, size, &bytes, &error)) << error;
              ASSERT_EQ(bytes, std::string_view(text).substr(at, size));
            }
          }
        }
      }
    }
  }
}

// Returns compression options that list part 1 of the dictionary before part 0.
Options PartsOf(const std::string& dictionary) {
  const size_t half = dictionary.size() / 2;
  return {{"compression_level", "3"},
          {".dictionary.00000001", dictionary.substr(half)},
          {".dictionary.00000000", dictionary.substr(0, half)}};
}

TEST(CompressedDataFileTest, ReadsWithScyllasDictionary) {
  const std::string dictionary = Text(70000);
  const std::string text = Text(2000);
  for (const char* const compressor : kWithDictionary) {
    SCOPED_TRACE(compressor);
    const std::string chunk = Compress(compressor, text, dictionary);
    EXPECT_LT(chunk.size(), 200U);
    const std::string data = WithChecksum(chunk);
    const auto info = [&](const Options& options) {
      return CompressionInfoOf(compressor, options, 4096, std::nullopt,
                               static_cast<int64_t>(text.size()), {0});
    };
    const Files files(data, info(PartsOf(dictionary)));
    std::string error;
    const auto file = files.Open(&error, /*has_max_compressed_length=*/false);
    ASSERT_NE(file, nullptr) << error;
    std::string_view bytes;
    ASSERT_TRUE(file->Read(0, text.size(), &bytes, &error)) << error;
    EXPECT_EQ(bytes, text);
    EXPECT_NE(Files(data, info({})).Error(false), "");

    EXPECT_EQ(Files(data, info({{".dictionary.1x", "x"}})).Error(false),
              "CompressionInfo.db: part 00000000 of the dictionary is missing");
    Options many;
    for (int i = 0; i < 17; ++i) {
      many.emplace_back(".dictionary." + std::to_string(i),
                        std::string(65534, 'd'));
    }
    EXPECT_NE(Files(data, info(many))
                  .Error(false)
                  .find(": a dictionary of more than 1048576 bytes"),
              std::string::npos);
  }
}

TEST(CompressedDataFileTest, TakesOtherNamesAndForms) {
  const std::string text = Text(20);
  const struct {
    const char* what;
    const char* compressor;
    std::string chunk;
    std::optional<int64_t> max_compressed;
  } cases[] = {
      {"ScyllaDB's name of Cassandra's class",
       "org.apache.cassandra.io.compress.NoopCompressor", text, std::nullopt},
      {"Cassandra may pad the last chunk of a file with zeros", "LZ4Compressor",
       text + std::string(5, '\0'), 25},
      {"Cassandra's compressor with a dictionary, without one",
       "ZstdDictionaryCompressor", Compress("ZstdCompressor", text), INT32_MAX},
  };
  for (const auto& [what, compressor, chunk, max_compressed] : cases) {
    SCOPED_TRACE(what);
    EXPECT_EQ(
        Files(WithChecksum(chunk),
              CompressionInfoOf(compressor, {}, 32, max_compressed, 20, {0}))
            .Error(max_compressed.has_value()),
        "");
  }
}

// Returns the error of reading a Data.db with the chunks in `surplus` after the
// data.
std::string ErrorWithSurplus(const char* compressor,
                             const std::vector<std::string>& surplus,
                             int32_t max_compressed = INT32_MAX) {
  std::string data = WithChecksum(Compress(compressor, Text(20)));
  std::vector<uint64_t> offsets = {0};
  for (const std::string& chunk : surplus) {
    offsets.push_back(data.size());
    data += WithChecksum(chunk);
  }
  return Files(data, CompressionInfoOf(compressor, {}, 32, max_compressed, 20,
                                       offsets))
      .Error();
}

// Cassandra appends an empty chunk to a rewritten Data.db. It may have no bytes
// at all, or the bytes that the compressor writes for an empty string.
TEST(CompressedDataFileTest, TakesOneEmptyChunkAfterTheData) {
  for (const char* const compressor : kCompressors) {
    SCOPED_TRACE(compressor);
    const std::string empty = Compress(compressor, "");
    EXPECT_EQ(ErrorWithSurplus(compressor, {""}), "");
    EXPECT_EQ(ErrorWithSurplus(compressor, {empty}), "");
    EXPECT_THAT(ErrorWithSurplus(compressor, {Compress(compressor, "x")}),
                HasSubstr("chunk 1 ("));
    EXPECT_EQ(ErrorWithSurplus(compressor, {empty, empty}),
              "CompressionInfo.db: 3 chunks of 32 bytes for data of 20 bytes");
  }
  EXPECT_EQ(
      ErrorWithSurplus("LZ4Compressor", {std::string("\0\0\0\0\x10x", 6)}),
      "Data.db: byte 30: chunk 1 (LZ4Compressor) is not a block of LZ4 of 0 "
      "bytes; the file is damaged");
  // An empty chunk that is stored uncompressed is padded with zeros.
  EXPECT_EQ(ErrorWithSurplus("NoopCompressor", {std::string(20, '\0')}, 20),
            "");
  EXPECT_EQ(ErrorWithSurplus("NoopCompressor", {std::string(20, 'x')}, 20),
            "Data.db: byte 24: chunk 1 (NoopCompressor) has other bytes than "
            "zeros after its data; the file is damaged");
}

// Data.db is a sparse file, so only its last chunk takes disk space.
TEST(CompressedDataFileTest, ReadsBeyond4GiB) {
  constexpr uint64_t kChunk = uint64_t{1} << 30;
  constexpr uint64_t kOffset = uint64_t{5} << 32;
  const std::string text = Text(100);
  const std::string info =
      CompressionInfoOf("LZ4Compressor", {}, kChunk, INT32_MAX,
                        static_cast<int64_t>(8 * kChunk + text.size()),
                        {0, 10, 20, 30, 40, 50, 60, 70, kOffset});
  const Files files("", info);
  const std::string chunk = WithChecksum(Compress("LZ4Compressor", text));
  const int fd = open(files.Path("Data.db").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(pwrite(fd, chunk.data(), chunk.size(), kOffset),
            static_cast<ssize_t>(chunk.size()));
  close(fd);
  std::string error;
  const auto file = files.Open(&error);
  ASSERT_NE(file, nullptr) << error;
  std::string_view bytes;
  ASSERT_TRUE(file->Read(8 * kChunk, text.size(), &bytes, &error)) << error;
  EXPECT_EQ(bytes, text);
}

// Such a chunk is not damaged. It would take much memory in each thread.
TEST(CompressedDataFileTest, LargeChunksAreNotSupported) {
  for (const size_t size : {tools::kMaxChunkSize, 2 * tools::kMaxChunkSize}) {
    const std::string text(size, 'x');
    const std::string data = WithChecksum(Compress("ZstdCompressor", text));
    const Files files(
        data,
        CompressionInfoOf("ZstdCompressor", {}, static_cast<int64_t>(size),
                          INT32_MAX, static_cast<int64_t>(size), {0}));
    std::string error;
    const auto file = files.Open(&error);
    ASSERT_NE(file, nullptr) << error;
    std::string_view bytes;
    if (size == tools::kMaxChunkSize) {
      EXPECT_TRUE(file->ReadSome(0, &bytes, &error)) << error;
    } else {
      EXPECT_THROW(file->ReadSome(0, &bytes, &error), tools::NotSupported);
    }
  }
}

// ---- Damaged files ----

// The second chunk is the empty one after the data.
TEST(CompressedDataFileTest, NoticesEveryChangedByteOfAChunk) {
  std::string data = WithChecksum(Compress("LZ4Compressor", Text(20)));
  const uint64_t empty_at = data.size();
  data += WithChecksum(Compress("LZ4Compressor", ""));
  const std::string info =
      CompressionInfoOf("LZ4Compressor", {}, 32, INT32_MAX, 20, {0, empty_at});
  ASSERT_EQ(Files(data, info).Error(), "");
  for (size_t at = 0; at < data.size(); ++at) {
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THAT(Files(damaged, info).Error(),
                HasSubstr(" (LZ4Compressor) differs from its checksum; the "
                          "file is damaged"));
  }
}

std::string LittleEndian4(uint8_t number) {
  return {static_cast<char>(number), 0, 0, 0};
}

TEST(CompressedDataFileTest, RefusesBrokenChunks) {
  const std::string text = Text(20);
  const std::string lz4 = Compress("LZ4Compressor", text).substr(4);
  const auto compressed = [](const char* compressor, size_t size) {
    return Compress(compressor, Text(size));
  };
  const struct {
    const char* compressor;
    std::string chunk;  // CompressionInfo.db says it holds 20 bytes.
    std::string error;
    int32_t max_compressed = INT32_MAX;
  } broken_chunks[] = {
      {"LZ4Compressor", "abc", "has 3 bytes of LZ4"},
      {"LZ4Compressor", LittleEndian4(21) + lz4,
       "says it has 21 bytes, not 20"},
      {"LZ4Compressor", LittleEndian4(20) + "\xff\xff",
       "is not a block of LZ4 of 20 bytes"},
      {"LZ4Compressor",
       LittleEndian4(20) + compressed("LZ4Compressor", 19).substr(4),
       "decompresses to 19 bytes, not 20"},
      {"LZ4Compressor",
       LittleEndian4(20) + compressed("LZ4Compressor", 21).substr(4),
       "is not a block of LZ4 of 20 bytes"},
      {"SnappyCompressor", "\xff\xff\xff\xff\xff\xff", "is not Snappy"},
      {"SnappyCompressor", compressed("SnappyCompressor", 19),
       "says it has 19 bytes, not 20"},
      {"SnappyCompressor", "\x14\x01", "is not Snappy of 20 bytes"},
      {"DeflateCompressor", "abc", "is not zlib's format of 20 bytes"},
      {"DeflateCompressor", compressed("DeflateCompressor", 19),
       "decompresses to 19 bytes, not 20"},
      {"DeflateCompressor", compressed("DeflateCompressor", 21),
       "is not zlib's format of 20 bytes"},
      {"ZstdCompressor", "abc",
       "is not Zstandard of 20 bytes: Src size is incorrect"},
      {"ZstdCompressor", compressed("ZstdCompressor", 19),
       "decompresses to 19 bytes, not 20"},
      {"ZstdCompressor", compressed("ZstdCompressor", 21),
       "is not Zstandard of 20 bytes: Destination buffer is too small"},
      {"NoopCompressor", Text(19), "has 19 bytes, not 20"},
      {"NoopCompressor", Text(2000), "has 2000 bytes for 20"},
      // These are long enough to be stored uncompressed.
      {"LZ4Compressor", Text(19), "has 19 bytes for 20", 19},
      {"LZ4Compressor", Text(21), "has 21 bytes for 20", 20},
      {"LZ4Compressor", Text(25), "has 25 bytes for 20", 20},
  };
  for (const auto& broken : broken_chunks) {
    SCOPED_TRACE(broken.compressor);
    const Files files(WithChecksum(broken.chunk),
                      CompressionInfoOf(broken.compressor, {}, 32,
                                        broken.max_compressed, 20, {0}));
    EXPECT_EQ(files.Error(), "Data.db: byte 0: chunk 0 (" +
                                 std::string(broken.compressor) + ") " +
                                 broken.error + "; the file is damaged");
  }
}

TEST(CompressedDataFileTest, RefusesOtherCompressors) {
  for (const std::string& name :
       {std::string("EncryptingLZ4Compressor"),
        std::string("com.example.LZ4Compressor"), std::string(101, 'x')}) {
    const std::string error =
        Files(WithChecksum(Text(20)),
              CompressionInfoOf(name, {}, 32, INT32_MAX, 20, {0}))
            .Error();
    EXPECT_EQ(error,
              "Data.db: compressor " + name.substr(0, 100) + ": not supported");
  }
  // That the file was cut is seen all the same.
  EXPECT_EQ(Files("", CompressionInfoOf("EncryptingLZ4Compressor", {}, 32,
                                        INT32_MAX, 20, {0}))
                .Error(),
            "Data.db: too short: chunk 0 from 0 to 0 of a Data.db of 0 bytes");
}

// ---- The dictionary at the end of Cassandra's CompressionInfo.db ----

uint32_t Crc32C(std::string_view bytes) {
  uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      sum = sum % 2 == 0 ? sum / 2 : (sum / 2) ^ 0x82f63b78;
    }
  }
  return ~sum;
}

// Returns what Cassandra writes after the offsets of the chunks.
std::string DictionaryAtEnd(const std::string& dictionary, char kind = 0) {
  const std::string number = "\1\2\3\4\5\6\7" + std::string(1, 8);
  return kind + number + BigEndian(dictionary.size(), 4) + dictionary +
         BigEndian(Crc32C(kind + std::string(number.rbegin(), number.rend()) +
                          dictionary),
                   4);
}

TEST(CompressedDataFileTest, ReadsWithCassandrasDictionary) {
  EXPECT_EQ(Crc32C("123456789"), 0xe3069283U);  // The standard's check value.
  const std::string dictionary = Text(20000);
  const std::string text = Text(2000);
  const std::string chunk =
      Compress("ZstdWithDictsCompressor", text, dictionary);
  EXPECT_LT(chunk.size(), 200U);
  const auto error_of = [&](const char* compressor, const std::string& end) {
    return Files(WithChecksum(chunk),
                 CompressionInfoOf(compressor, {}, 4096, INT32_MAX,
                                   static_cast<int64_t>(text.size()), {0}) +
                     end)
        .Error();
  };
  // The dictionary counts, and not the name of the compressor.
  for (const char* const compressor :
       {"ZstdDictionaryCompressor", "ZstdCompressor", "LZ4Compressor"}) {
    EXPECT_EQ(error_of(compressor, DictionaryAtEnd(dictionary)), "");
    EXPECT_NE(error_of(compressor, ""), "");
  }
  const auto error = [&](const std::string& end) {
    return error_of("ZstdDictionaryCompressor", end);
  };
  EXPECT_EQ(error(DictionaryAtEnd(dictionary, '\1')),
            "CompressionInfo.db: byte 58: a dictionary of kind 1: not "
            "supported");
  const std::string whole = DictionaryAtEnd(dictionary);
  for (const size_t at : {size_t{0}, size_t{5}, size_t{20}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 2);
    EXPECT_EQ(error(damaged),
              "CompressionInfo.db: byte 58: what follows the offsets of the "
              "chunks is no dictionary with its checksum; the file is damaged");
  }
  EXPECT_NE(error(whole + "x").find("is no dictionary"), std::string::npos);
  for (const size_t size : {size_t{1}, size_t{12}, whole.size() - 1}) {
    EXPECT_NE(error(whole.substr(0, size)).find(": ends inside the dictionary"),
              std::string::npos);
  }
  EXPECT_EQ(error(std::string(9, '\0') + "\x7f" + std::string(20, 'x')),
            "CompressionInfo.db: byte 58: a dictionary of 2138601592 bytes "
            "after the offsets of the chunks");
}

TEST(CompressedDataFileTest, RefusesBrokenCompressionInfo) {
  const auto info = [](int64_t chunk_length, int64_t max_compressed,
                       int64_t data_length,
                       const std::vector<uint64_t>& offsets) {
    return CompressionInfoOf("NoopCompressor", {}, chunk_length, max_compressed,
                             data_length, offsets);
  };
  const std::pair<std::string, std::string> broken_infos[] = {
      {info(0, 99, 20, {0}),
       "chunks of 0 bytes; expected a power of two up to 1073741824"},
      {info(-1, 99, 20, {0}),
       "chunks of -1 bytes; expected a power of two up to 1073741824"},
      {info(INT32_MIN, 99, 20, {0}),
       "chunks of -2147483648 bytes; expected a power of two up to 1073741824"},
      {info(33, 99, 20, {0}),
       "chunks of 33 bytes; expected a power of two up to 1073741824"},
      {info(32, -5, 20, {0}), "compressed chunks of up to -5 bytes"},
      {info(32, 99, 0, {}), "0 chunks of 32 bytes for data of 0 bytes"},
      {info(32, 99, -20, {0}), "1 chunks of 32 bytes for data of -20 bytes"},
      {info(32, 99, INT64_MIN, {0}),
       "1 chunks of 32 bytes for data of -9223372036854775808 bytes"},
      {info(32, 99, INT64_MAX, {0}),
       "1 chunks of 32 bytes for data of 9223372036854775807 bytes"},
      {info(32, 99, 33, {0}), "1 chunks of 32 bytes for data of 33 bytes"},
      {info(32, 99, 32, {0, 9, 18}),
       "3 chunks of 32 bytes for data of 32 bytes"},
      {info(32, 99, 20, {0}) + "x", "byte 49: ends inside the dictionary"},
      {info(32, 99, 20, {0}).substr(0, 47),
       "has 47 bytes, but 48 with the offsets of 1 chunks"},
      {info(32, 99, 20, {25}),
       "Data.db: too short: chunk 0 from 25 to 24 of a Data.db of 24 bytes"},
      {info(32, 99, 20, {20}),
       "byte 40: chunk 0 from 20 to 24 of a Data.db of 24 bytes"},
      {info(16, 99, 20, {0, 25}),
       "Data.db: too short: chunk 1 from 25 to 24 of a Data.db of 24 bytes"},
      {WithLength("NoopCompressor") + BigEndian(UINT64_MAX, 4),
       "byte 16: -1 options"},
      {CompressionInfoOf(
           "LZ4Compressor",
           {{"org.apache.cassandra.fixed_output_chunk_length", "4096"}}, 32,
           INT32_MAX, 20, {0}),
       "byte 19: chunks of a fixed size in Data.db "
       "(org.apache.cassandra.fixed_output_chunk_length=4096): not supported"},
  };
  const std::string data = WithChecksum(Text(20));
  for (const auto& [bytes, error] : broken_infos) {
    EXPECT_EQ(Files(data, bytes).Error(), error.rfind("Data.db", 0) == 0
                                              ? error
                                              : "CompressionInfo.db: " + error);
  }
  EXPECT_EQ(Files(data, info(32, 99, 20, {0})).Error(), "");
  // The last chunk is good.
  const std::string two = WithChecksum(Text(16)) + WithChecksum(Text(4));
  EXPECT_EQ(Files(two, info(16, 99, 20, {21, 20})).Error(),
            "CompressionInfo.db: byte 40: chunk 0 from 21 to 20 of a Data.db "
            "of 28 bytes");
}

TEST(CompressedDataFileTest, RefusesEveryCutOfCompressionInfo) {
  const std::string whole = CompressionInfoOf(
      "NoopCompressor", {{"name", "value"}}, 32, INT32_MAX, 20, {0});
  const size_t offsets_at = whole.size() - 8;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(Files("", whole.substr(0, size)).Error(),
                ::testing::ContainsRegex(
                    size < offsets_at
                        ? "^CompressionInfo.db: byte [0-9]+: ends inside "
                        : "^CompressionInfo.db: has .* with the offsets of"));
  }
}

// ---- When memory runs out ----

// This test limits memory with RLIMIT_AS, which does not limit the malloc of
// AddressSanitizer.
#ifndef CASSANDRA_BLOOM_SANITIZED

void TakeAllBlocksOf(size_t size) {
  struct rlimit none = {};
  getrlimit(RLIMIT_AS, &none);
  none.rlim_cur = 0;
  setrlimit(RLIMIT_AS, &none);
  void* previous = nullptr;
  while (void** const block = static_cast<void**>(malloc(size))) {
    *block = previous;  // Keeps the compiler from removing the loop.
    previous = block;
  }
}

TEST(CompressedDataFileDeathTest, WantOfMemoryIsNoDamage) {
  const CompressedData compressed =
      CompressData(Text(100), "DeflateCompressor", 16, INT32_MAX);
  const Files files(compressed.data, compressed.info);
  std::string error;
  const auto file = files.Open(&error);
  ASSERT_NE(file, nullptr) << error;
  const auto read = [&] {
    TakeAllBlocksOf(5000);  // zlib needs about 7,000 bytes.
    std::string_view bytes;
    try {
      _exit(file->Read(0, 10, &bytes, &error) ? 1 : 2);
    } catch (const std::bad_alloc&) {
      _exit(0);
    }
  };
  EXPECT_EXIT(read(), ::testing::ExitedWithCode(0), "");
}

#endif

// The reader reads only chunks with keys, so damage in other chunks is no
// error. (sstable_checks_test.cc reads keys across chunks.)
TEST(CompressedDataFileTest, ReadsOnlyChunksWithKeys) {
  const TrieSstable sstable = SstableOf({"a", "b", "c"}, /*filler=*/1000);
  const MadeFiles files(sstable);
  auto [data, info] =
      CompressData(sstable.data, "NoopCompressor", 64, INT32_MAX);
  files.Write("CompressionInfo.db", info);
  data[5 * 68] ^= 1;
  files.Write("Data.db", data);
  EXPECT_EQ(files.Error(), "");
  data[0] ^= 1;
  files.Write("Data.db", data);
  EXPECT_EQ(files.Error(),
            "da-1-bti-Data.db: byte 0: chunk 0 (NoopCompressor) differs from "
            "its checksum; the file is damaged");
}

}  // namespace
}  // namespace cassandra_bloom::testing
