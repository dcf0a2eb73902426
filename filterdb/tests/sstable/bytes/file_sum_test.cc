// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/file_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/filter_db/read_file.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using tools::Crc32;

TEST(FileSumTest, TheStandardsCheckValue) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(Crc32("6789", Crc32("12345")), 0xcbf43926U);
}

// The file is larger than a piece.
TEST(FileSumTest, CopiesAndSums) {
  const TempDir dir;
  std::string content(3000000, 'x');
  content.replace(1 << 20, 5, "other");
  WriteFile(dir / "file", content);
  std::string copy;
  const auto append = [&](const char* data, size_t size) {
    copy.append(data, size);
    return true;
  };
  uint32_t crc = 0;
  const FileDescriptor fd(OpenForReading(dir / "file"));
  EXPECT_TRUE(tools::ReadInPieces(fd.get(), append, &crc));
  EXPECT_TRUE(copy == content);
  EXPECT_EQ(crc, Crc32(content));
  std::string error;
  EXPECT_EQ(tools::CrcOfFile(dir / "file", &error), Crc32(content));
  EXPECT_EQ(tools::CrcOf([&](const auto& add) {
              return add(content.data(), content.size());
            }),
            Crc32(content));
  EXPECT_FALSE(tools::ReadInPieces(
      fd.get(), [](const char*, size_t) { return false; }, &crc));
  EXPECT_FALSE(tools::ReadInPieces(-1, append, &crc));
  EXPECT_EQ(tools::CrcOfFile(dir / "none", &error), std::nullopt);
}

}  // namespace
}  // namespace cassandra_bloom::testing
