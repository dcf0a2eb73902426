// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb scan" on small SSTables with chunks that become large when
// they are decompressed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

constexpr size_t kBlock = size_t{128} << 10;  // The largest block of Zstandard.

void AppendLittleEndian(uint64_t value, size_t size, std::string* out) {
  for (size_t i = 0; i < size; ++i) {
    out->push_back(static_cast<char>(value >> (8 * i)));
  }
}

void AppendBlockHeader(bool is_last, uint64_t type, uint64_t size,
                       std::string* out) {
  AppendLittleEndian((is_last ? 1 : 0) | type << 1 | size << 3, 3, out);
}

// Returns a Zstandard frame (RFC 8878) that decompresses to `size` bytes. These
// are `bytes` and then zeros. A block of zeros takes only four bytes in the
// frame.
std::string FrameOf(const std::string& bytes, size_t size) {
  std::string frame = "\x28\xb5\x2f\xfd\xa0";
  AppendLittleEndian(size, 4, &frame);
  AppendBlockHeader(false, 0, bytes.size(), &frame);
  frame += bytes;
  for (size_t left = size - bytes.size(); left > 0;) {
    const size_t block = std::min(left, kBlock);
    left -= block;
    AppendBlockHeader(left == 0, 1, block, &frame);
    frame.push_back('\0');
  }
  return frame;
}

// Writes an SSTable of one key and one chunk. `size` is the chunk's size in
// bytes when it is decompressed.
void WriteOneChunk(const std::string& folder, const std::string& version,
                   size_t size) {
  std::filesystem::create_directories(folder);
  SstableSpec spec;
  spec.folder = folder;
  spec.version = version;
  spec.keys = {"alice"};
  spec.fault = FilterFault::kMissing;  // Makes scan read Data.db.
  const WrittenSstable one = WriteSstable(spec);
  const std::string frame = FrameOf(ReadFile(one.Path("Data.db")), size);
  std::string data = frame;
  AppendBigEndian(Crc32(frame), 4, &data);
  WriteFile(one.Path("Data.db"), data);
  std::string info;
  AppendWithLength("ZstdCompressor", &info);
  AppendInt32(0, &info);
  AppendInt32(static_cast<int32_t>(size), &info);
  AppendInt32(0x7fffffff, &info);
  AppendInt64(static_cast<int64_t>(size), &info);
  AppendInt32(1, &info);
  AppendInt64(0, &info);
  WriteFile(one.Path("CompressionInfo.db"), info);
}

// Expects that each child process so far has used less than `megabytes`.
void ExpectMemoryBelow([[maybe_unused]] double megabytes) {
#ifndef CASSANDRA_BLOOM_SANITIZED
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(static_cast<double>(usage.ru_maxrss) * 1024 / 1e6, megabytes);
#endif
}

// All threads of filterdb scan together may have 256 MiB of filters and chunks
// in memory. Without this rule, these threads would need more than 400 MB.
TEST(ChunkMemoryTest, AllThreadsTogetherTakeLittle) {
  const TempDir dir;
  constexpr int kJobs = 100;
  for (int i = 0; i < kJobs; ++i) {
    WriteOneChunk(dir / std::to_string(i), i % 2 == 0 ? "da" : "nb",
                  size_t{4} << 20);
  }
  const Ran ran = Exits(1, Filterdb("scan --jobs=" + std::to_string(kJobs) +
                                    " --json " + dir.path()));
  const Json json = ran.json();
  ASSERT_EQ(json["sstables"].size(), size_t{kJobs});
  for (const Json& one : json["sstables"]) {
    EXPECT_EQ(one["verdict"], "missing");
    EXPECT_EQ(one["keys"], 1);
  }
  ExpectMemoryBelow(256 * 1.05 + 32);
}

TEST(ChunkMemoryTest, LargerChunksAreRefused) {
  for (const std::string version : {"da", "nb"}) {
    const TempDir dir;
    for (const std::string name : {"a", "b", "c"}) {
      WriteOneChunk(dir / name, version, size_t{1} << 30);
    }
    const Ran ran = Filterdb("scan --jobs=3 " + dir.path());
    EXPECT_EQ(ran.exit_code, 1) << ran;
    EXPECT_THAT(ran.out,
                HasSubstr("Data.db: byte 0: chunk 0 (ZstdCompressor) has "
                          "1073741824 bytes uncompressed; only chunks of up to "
                          "4194304 can be read"));
    ExpectMemoryBelow(256 * 1.05 + 32);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
