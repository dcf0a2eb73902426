// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/support/file_size_limit.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;
using testing::WriteFile;

// The folder of the build. If others may write to it, there is nothing to test.
class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() : dir_(std::filesystem::current_path()) {}

  void SetUp() override {
    try {
      CheckTrusted(dir_.path(), "");
    } catch (const std::runtime_error& why) {
      GTEST_SKIP() << why.what();
    }
  }

  static RunLine Line(RunFolder* run, const std::string& prefix) {
    RunLine line;
    line.number = run->NewNumber();
    line.harms.Add(Harm::kHidesRows);
    line.harms.Add(Harm::kNotKnown);
    line.data = {1, 2, 3, 4};
    line.index = {5, 6, -7, 8};
    line.index_crc = 9;
    line.new_filter = 0xffffffff;
    line.prefix = prefix;
    return line;
  }

  const TempDir dir_;
};

TEST_F(RunFolderTest, KeepsWhatWasAppended) {
  std::string suffix;
  {
    const auto run = RunFolder::ForMend(dir_ / "run");
    suffix = run->suffix();
    run->Append(Line(run.get(), "/b/nb-1-big-"));
    run->Append(Line(run.get(), "/a b%\x01/nb-2-big-"));
    RunLine again = Line(run.get(), "/b/nb-1-big-");
    again.old_filter = 0;
    again.new_filter.reset();
    run->Append(again);
    run->Sync();
    EXPECT_THROW(RunFolder::ForMend(dir_ / "run"), std::runtime_error);
  }
  const auto run = RunFolder::ForInstall(dir_ / "run");
  EXPECT_EQ(run->suffix(), suffix);
  ASSERT_EQ(run->lines().size(), 2U);
  const RunLine& first = run->lines().at("/a b%\x01/nb-2-big-");
  EXPECT_EQ(first.prefix, "/a b%\x01/nb-2-big-");
  EXPECT_EQ(first.number, 2U);
  EXPECT_EQ(first.harms.worst(), Harm::kHidesRows);
  EXPECT_TRUE(first.harms.has(Harm::kNotKnown));
  EXPECT_FALSE(first.harms.has(Harm::kDamaged));
  EXPECT_EQ(first.data, FileStamp(1, 2, 3, 4));
  EXPECT_EQ(first.index, FileStamp(5, 6, -7, 8));
  EXPECT_EQ(first.index_crc, 9U);
  EXPECT_EQ(first.old_filter, std::nullopt);
  EXPECT_EQ(first.new_filter, 0xffffffff);
  const RunLine& last = run->lines().at("/b/nb-1-big-");
  EXPECT_EQ(last.number, 3U);
  EXPECT_EQ(last.old_filter, 0U);
  EXPECT_EQ(last.new_filter, std::nullopt);
}

TEST_F(RunFolderTest, AFullDisk) {
  const auto run = RunFolder::ForMend(dir_ / "run");
  run->Append(Line(run.get(), "/a/nb-1-big-"));
  const testing::FileSizeLimit limit(
      std::filesystem::file_size(dir_ / "run/list") + 10);
  EXPECT_THROW(run->Append(Line(run.get(), "/a/nb-2-big-")),
               std::runtime_error);
}

}  // namespace
}  // namespace cassandra_bloom::tools
