// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kSize = 50 << 20;

std::vector<bool> Cached(int fd) {
  const size_t num_pages = kSize / static_cast<size_t>(getpagesize());
  void* const pages = mmap(nullptr, kSize, PROT_NONE, MAP_SHARED, fd, 0);
  std::vector<unsigned char> bytes(num_pages);
  EXPECT_EQ(mincore(pages, kSize, bytes.data()), 0);
  munmap(pages, kSize);
  std::vector<bool> cached;
  for (const unsigned char byte : bytes) {
    cached.push_back((byte & 1) != 0);
  }
  return cached;
}

// Sets whether what was cached before a file is read is cached afterwards, and
// no more. Memory file systems cannot drop pages, so this uses the build's
// folder.
void ReadCached(bool* is_as_before) {
  const TempDir dir(std::filesystem::current_path().string());
  const std::string path = dir / "file";
  WriteFile(path, std::string(kSize, 'x'));
  const int fd = open(path.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(fsync(fd), 0);
  tools::ReadNothingAhead(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  std::vector<char> bytes(300000);
  ASSERT_GT(pread(fd, bytes.data(), bytes.size(), 1000000), 0);
  for (off_t at = 2 << 20; at < 40 << 20; at += 2 * getpagesize()) {
    ASSERT_EQ(pread(fd, bytes.data(), 1, at), 1);
  }
  const std::vector<bool> before = Cached(fd);
  if (before.front() || before.back()) {
    close(fd);
    GTEST_SKIP() << "this file system does not drop pages";
  }
  std::string error;
  EXPECT_TRUE(tools::CrcOfFile(path, &error).has_value()) << error;
  *is_as_before = Cached(fd) == before;
  auto file = tools::RandomAccessFile::Open(path, &error);
  ASSERT_NE(file, nullptr) << error;
  std::string_view some;
  for (size_t at = 0; at < kSize; at += some.size()) {
    ASSERT_TRUE(file->ReadSome(at, &some, &error)) << error;
  }
  file = nullptr;
  *is_as_before = *is_as_before && Cached(fd) == before;

  // Behind what a reader has read in order is a page with the mark at which the
  // kernel reads ahead.
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  const int reader = open(path.c_str(), O_RDONLY);
  ASSERT_GT(read(reader, bytes.data(), bytes.size()), 0);
  close(reader);
  const std::vector<bool> read_ahead = Cached(fd);
  EXPECT_TRUE(tools::CrcOfFile(path, &error).has_value()) << error;
  *is_as_before = *is_as_before && Cached(fd) == read_ahead;
  close(fd);
}

// The kernel may drop pages at any time, so one attempt of several counts.
TEST(CachedPagesTest, AreAsBefore) {
  bool is_as_before = false;
  for (int attempt = 0; attempt < 5 && !is_as_before; ++attempt) {
    ReadCached(&is_as_before);
    if (HasFatalFailure() || IsSkipped()) {
      return;
    }
  }
  EXPECT_TRUE(is_as_before);
}

TEST(CachedPagesTest, AFileThatBecameShorter) {
  const TempDir dir;
  const std::string path = dir / "file";
  WriteFile(path, std::string(kSize, 'x'));
  std::string error;
  const auto file = tools::RandomAccessFile::Open(path, &error);
  ASSERT_NE(file, nullptr) << error;
  std::string_view some;
  EXPECT_TRUE(file->ReadSome(0, &some, &error)) << error;
  std::filesystem::resize_file(path, kSize / 2);
  EXPECT_FALSE(file->ReadSome(kSize - 1, &some, &error));
  EXPECT_EQ(error, path + ": was truncated while it was read: byte " +
                       std::to_string(kSize - 1) + " of " +
                       std::to_string(kSize) + " is missing");
}

}  // namespace
}  // namespace cassandra_bloom::testing
