// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/file_size_limit.h"
#include "tests/support/special_files.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class FolderMarkTest : public ::testing::Test {
 protected:
  std::string MarkFile() const { return FolderMarkPath(folder_.path()); }

  void Append(const std::string& name, const RecordedFilter& filter) {
    EXPECT_TRUE(AppendToFolderMark(folder_.path(), name, filter, &error_))
        << error_;
  }

  FolderMark Read() const {
    const auto mark = ReadFolderMark(folder_.path());
    EXPECT_TRUE(mark.has_value());
    return mark.value_or(FolderMark());
  }

  const TempDir folder_;
  std::string error_;
};

TEST_F(FolderMarkTest, IsReadAsItWasWritten) {
  EXPECT_FALSE(ReadFolderMark(folder_.path()));
  FolderMark mark;
  mark.database = "id in /db";
  mark.contents["nb"] = {"partition_key=default prefixes", "x:y z:w "};
  mark.filters["nb-1-big-Filter.db"] = {"SESSION-1", "12.34"};
  ASSERT_TRUE(
      WriteFolderMark(folder_.path(), mark, /*overwrite=*/false, &error_))
      << error_;
  EXPECT_FALSE(
      WriteFolderMark(folder_.path(), mark, /*overwrite=*/false, &error_));
  Append("da-7-bti-Filter.db", {"SESSION-7", "56.78"});
  EXPECT_EQ(ReadFile(MarkFile()),
            "id in /db\n"
            "nb\tpartition_key=default prefixes\tx:y z:w \n"
            "nb-1-big-Filter.db\tSESSION-1\t12.34\n"
            "da-7-bti-Filter.db\tSESSION-7\t56.78\n");
  const FolderMark read = Read();
  EXPECT_EQ(read.database, mark.database);
  ASSERT_THAT(read.contents, SizeIs(1));
  EXPECT_EQ(read.contents.at("nb").asked, "partition_key=default prefixes");
  EXPECT_EQ(read.contents.at("nb").extractors, "x:y z:w ");
  ASSERT_THAT(read.filters, SizeIs(2));
  EXPECT_EQ(read.filters.at("da-7-bti-Filter.db").sst, "SESSION-7");
  EXPECT_EQ(read.filters.at("da-7-bti-Filter.db").written, "56.78");
}

TEST_F(FolderMarkTest, ADatabaseWhosePathHasANewline) {
  FolderMark mark;
  mark.database = "id in /a\nb";
  ASSERT_TRUE(
      WriteFolderMark(folder_.path(), mark, /*overwrite=*/false, &error_))
      << error_;
  EXPECT_EQ(ReadFile(MarkFile()), "id in /a b\n");
  EXPECT_TRUE(IsMarkOf(Read(), "id in /a\nb"));
  EXPECT_FALSE(IsMarkOf(Read(), "id in /a\nc"));
}

TEST_F(FolderMarkTest, TheLastLineOfANameHolds) {
  WriteFile(MarkFile(), "id in /db\n");
  Append("nb-1-big-Filter.db", {"A", "1"});
  Append("nb-1-big-Filter.db", {"B", "2"});
  EXPECT_EQ(Read().filters.at("nb-1-big-Filter.db").sst, "B");
  EXPECT_EQ(Read().num_filter_lines, 2u);
}

// The last line of the file may be incomplete. The next line is then appended
// directly behind it, without a line end. No filter may then get the values of
// another filter.
TEST_F(FolderMarkTest, ALineThatWasCut) {
  const std::string begin = "id in /db\nnb\tpartition_key=default\t\n";
  const std::string line = "nb-17-big-Filter.db\tSESSION-17\t123.456\n";
  for (size_t size = 0; size <= line.size(); ++size) {
    SCOPED_TRACE(size);
    WriteFile(MarkFile(), begin + line.substr(0, size));
    Append("nb-18-big-Filter.db", {"SESSION-18", "1.2"});
    const FolderMark mark = Read();
    EXPECT_EQ(mark.database, "id in /db");
    EXPECT_THAT(mark.contents, SizeIs(1));
    for (const auto& [name, filter] : mark.filters) {
      if (filter.sst == "SESSION-17" && filter.written == "123.456") {
        EXPECT_EQ(name, "nb-17-big-Filter.db");
      } else if (filter.sst == "SESSION-18" && filter.written == "1.2") {
        EXPECT_THAT(name, HasSubstr("nb-18-big-Filter.db"));
      }
    }
  }
}

TEST_F(FolderMarkTest, LinesOfOtherShapesAreIgnored) {
  WriteFile(MarkFile(),
            "id in /db\n\nnb\nnb\tx\nxx\ty\tz\n\t\t\nnb-1-big-Filter.db\tx\n");
  EXPECT_THAT(Read().contents, SizeIs(0));
  EXPECT_THAT(Read().filters, SizeIs(0));
}

TEST_F(FolderMarkTest, WhatCannotBeReadIsTheMarkOfNoDatabase) {
  MakeFifo(MarkFile());
  EXPECT_EQ(Read().database, "");
}

TEST_F(FolderMarkTest, AppendingMakesNoMark) {
  EXPECT_FALSE(AppendToFolderMark(folder_.path(), "nb-1-big-Filter.db",
                                  {"A", "1"}, &error_));
  EXPECT_THAT(error_, HasSubstr(MarkFile() + ": cannot be opened: No such"));
  EXPECT_FALSE(ReadFolderMark(folder_.path()));
}

TEST_F(FolderMarkTest, AppendingToAFullDisk) {
  WriteFile(MarkFile(), "id in /db\n");
  const FileSizeLimit full(20);
  EXPECT_FALSE(AppendToFolderMark(folder_.path(), "nb-1-big-Filter.db",
                                  {"A", "1"}, &error_));
  EXPECT_THAT(error_, HasSubstr(MarkFile() + ": cannot be written: "));
}

}  // namespace
}  // namespace cassandra_bloom::testing
