// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/file_sum.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "tests/support/read_keys.h"

namespace cassandra_bloom::testing {
namespace {

using tools::Crc32;

TEST(FileSumTest, TheStandardsCheckValue) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(Crc32("6789", Crc32("12345")), 0xcbf43926U);
}

// The file is larger than a piece.
TEST(FileSumTest, CopiesAndSums) {
  std::string content(3000000, 'x');
  content.replace(1 << 20, 5, "other");
  const int fd = FileOf(content);
  std::string copy;
  tools::FileSum sum;
  const auto append = [&](const char* data, size_t size) {
    copy.append(data, size);
    return true;
  };
  EXPECT_TRUE(tools::CopyInPieces(fd, append, &sum));
  EXPECT_TRUE(copy == content);
  EXPECT_EQ(sum.size, content.size());
  EXPECT_EQ(sum.crc, Crc32(content));
  const tools::FileSum of_content = tools::SumOf(
      [&](const auto& add) { return add(content.data(), content.size()); });
  EXPECT_TRUE(sum == of_content);
  EXPECT_FALSE(tools::CopyInPieces(
      fd, [](const char*, size_t) { return false; }, &sum));
  close(fd);
  EXPECT_FALSE(tools::CopyInPieces(fd, append, &sum));
}

}  // namespace
}  // namespace cassandra_bloom::testing
