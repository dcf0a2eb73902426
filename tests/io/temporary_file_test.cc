// SPDX-License-Identifier: Apache-2.0

// Tests RemoveTemporaryFilesBeingWritten, which signal handlers call.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>

#include "plugin/filter_db/write_file.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

// A thread may write two files at once, as `filterdb mend` does.
TEST(TemporaryFileTest, ASignalRemovesAllOfItsThread) {
  const TempDir dir;
  TemporaryFile outer(dir / "filter");
  ASSERT_TRUE(outer.Create());
  {
    TemporaryFile inner(dir / "record");
    ASSERT_TRUE(inner.Create());
    RemoveTemporaryFilesBeingWritten();
    EXPECT_FALSE(fs::exists(inner.path()));
    EXPECT_FALSE(fs::exists(outer.path()));
  }
  for (const bool is_renamed : {false, true}) {
    TemporaryFile again(dir / "filter");
    ASSERT_TRUE(again.Create());
    {
      TemporaryFile inner(dir / "record");
      ASSERT_TRUE(inner.Create());
      EXPECT_TRUE(!is_renamed || inner.RenameTo(dir / "record"));
    }
    std::thread(RemoveTemporaryFilesBeingWritten).join();
    EXPECT_TRUE(fs::exists(again.path()));
    RemoveTemporaryFilesBeingWritten();
    EXPECT_FALSE(fs::exists(again.path()));
  }
  EXPECT_TRUE(fs::exists(dir / "record"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
