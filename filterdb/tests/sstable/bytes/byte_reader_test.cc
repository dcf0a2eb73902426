// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/byte_reader.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "filterdb/sstable/bytes/byte_source.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using tools::ByteReader;
using tools::RandomAccessFile;

class ByteReaderTest : public ::testing::Test {
 protected:
  RandomAccessFile* FileOf(const std::string& content) {
    WriteFile(path_, content);
    std::string error;
    file_ = RandomAccessFile::Open(path_, &error);
    EXPECT_NE(file_, nullptr) << error;
    return file_.get();
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "file";
  std::unique_ptr<RandomAccessFile> file_;
};

constexpr char kNumbers[] =
    "\xff\xff\xff\xfe\0\0\0\1\0\0\0\2\x3f\xf8\0\0\0\0\0\0\0\3abc";

TEST_F(ByteReaderTest, BigEndian) {
  ByteReader reader(FileOf({kNumbers, sizeof(kNumbers) - 1}));
  EXPECT_EQ(reader.Int32("a"), -2);
  EXPECT_EQ(reader.Int64("b"), (int64_t{1} << 32) + 2);
  EXPECT_EQ(reader.Double("c"), 1.5);
  EXPECT_EQ(reader.Text("d"), "abc");
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(reader.Text("e"), "");
  EXPECT_EQ(reader.error(), path_ + ": byte 25: ends inside e");
}

TEST_F(ByteReaderTest, KeepsTheFirstError) {
  ByteReader reader(FileOf("1234567"));
  EXPECT_EQ(reader.Int64("the first"), 0);
  EXPECT_EQ(reader.Int32("the second"), 0);
  EXPECT_EQ(reader.Double("the third"), 0);
  EXPECT_EQ(reader.Bytes(1, "the fourth"), "");
  EXPECT_FALSE(reader.Fail("the fifth"));
  EXPECT_EQ(reader.error(), path_ + ": byte 0: ends inside the first");
}

TEST_F(ByteReaderTest, BeyondTheEndAndAcrossPages) {
  const std::string content = std::string(4095, 'a') + "bcd";
  ByteReader reader(FileOf(content));
  reader.GoTo(4094);
  EXPECT_EQ(reader.Bytes(3, "three"), "abc");
  reader.GoTo(UINT64_MAX);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(reader.Bytes(1, "one"), "");
  EXPECT_FALSE(reader.good());
}

TEST(RandomAccessFileTest, IsNoFileAfterWantOfMemory) {
  const TempDir dir;
  std::string error;
  errno = ENOMEM;
  EXPECT_EQ(RandomAccessFile::Open(dir.path(), &error), nullptr);
  EXPECT_EQ(error, dir.path() + ": not a regular file");
}

}  // namespace
}  // namespace cassandra_bloom::testing
