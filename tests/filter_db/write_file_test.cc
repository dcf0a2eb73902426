// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/write_file.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/file_size_limit.h"
#include "tests/support/temp_dir.h"

namespace {

// The name of each file and folder that was synced. Null if nobody wants to
// know.
std::vector<std::string>* synced = nullptr;

// If not "", a file or folder of this name cannot be synced.
std::string fails_to_sync;

}  // namespace

// In the place of the C library's. What is not synced is lost only when the
// power fails, so no test can see it from the files.
extern "C" int fsync(int fd) {
  const std::string name =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd))
          .filename();
  if (synced != nullptr) {
    synced->push_back(name);
  }
  if (!fails_to_sync.empty() && name == fails_to_sync) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using FileNames = std::set<std::string>;

WriteContent ContentOf(const std::string& bytes) {
  return [bytes](const Append& append) {
    return append(bytes.data(), bytes.size());
  };
}

class WriteFileTest : public ::testing::Test {
 protected:
  bool Write(const std::string& bytes, bool overwrite = true) {
    return WriteFileAtomically(file_, overwrite, ContentOf(bytes), &error_);
  }

  const TempDir dir_;
  const std::string file_ = dir_ / "filter";
  const std::string temporary_ = file_ + kTemporarySuffix + ".0";
  std::string error_;
};

TEST_F(WriteFileTest, NewOrReplaced) {
  ASSERT_TRUE(Write("one", /*overwrite=*/false)) << error_;
  EXPECT_FALSE(Write("two", /*overwrite=*/false));
  EXPECT_EQ(error_, file_ + ": will not be overwritten: File exists");
  EXPECT_EQ(ReadFile(file_), "one");
  ASSERT_TRUE(Write("two")) << error_;
  EXPECT_EQ(ReadFile(file_), "two");
  EXPECT_EQ(dir_.Names(), FileNames{"filter"});
}

// First the content, then the name.
TEST_F(WriteFileTest, IsSynced) {
  const std::string temporary = fs::path(temporary_).filename();
  const std::string folder = fs::path(dir_.path()).filename();
  std::vector<std::string> names;
  synced = &names;
  for (const bool overwrite : {false, true}) {
    names.clear();
    EXPECT_TRUE(Write("one", overwrite)) << error_;
    EXPECT_EQ(names, (std::vector<std::string>{temporary, folder}));
  }
  synced = nullptr;
  fails_to_sync = temporary;
  EXPECT_FALSE(Write("two"));
  EXPECT_EQ(error_, file_ + ": cannot sync: Input/output error");
  EXPECT_EQ(ReadFile(file_), "one");
  fails_to_sync = folder;
  EXPECT_FALSE(Write("two"));
  EXPECT_EQ(error_,
            dir_.path() + "/: cannot sync the folder: Input/output error");
  fails_to_sync = "";
}

TEST_F(WriteFileTest, ALinkIsReplaced) {
  WriteFile(dir_ / "target", "target");
  fs::create_symlink("target", file_);
  EXPECT_FALSE(Write("one", /*overwrite=*/false));
  ASSERT_TRUE(Write("one")) << error_;
  EXPECT_FALSE(fs::is_symlink(file_));
  EXPECT_EQ(ReadFile(dir_ / "target"), "target");
}

TEST_F(WriteFileTest, AFailureLeavesTheOldFile) {
  WriteFile(file_, "old");
  const std::string content = "longer";
  for (size_t room = 0; room < content.size(); ++room) {
    const FileSizeLimit full(room);
    EXPECT_FALSE(Write(content)) << room;
    EXPECT_EQ(error_, file_ + ": cannot write: File too large");
    EXPECT_EQ(ReadFile(file_), "old");
    EXPECT_EQ(dir_.Names(), FileNames{"filter"});
  }
  EXPECT_FALSE(WriteFileAtomically(dir_ / "none/filter", true, ContentOf("new"),
                                   &error_));
  EXPECT_EQ(error_, dir_ / "none/filter" +
                        ": cannot create a temporary file beside it: No such "
                        "file or directory");
}

TEST_F(WriteFileTest, WritersAtOnce) {
  const std::string bytes(100000, 'x');
  std::atomic<int> failures{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        std::string error;
        failures += !WriteFileAtomically(file_, /*overwrite=*/true,
                                         ContentOf(bytes), &error);
        failures += ReadFile(file_) != bytes;
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(dir_.Names(), FileNames{"filter"});
}

// It may be a file that somebody is writing.
TEST_F(WriteFileTest, ATemporaryFileOfAnotherIsLeft) {
  WriteFile(temporary_, "half");
  fs::create_symlink("precious", file_ + kTemporarySuffix + ".1");
  ASSERT_TRUE(Write("new")) << error_;
  EXPECT_EQ(ReadFile(file_), "new");
  EXPECT_EQ(ReadFile(temporary_), "half");
  EXPECT_FALSE(fs::exists(dir_ / "precious"));
  std::string_view of;
  EXPECT_TRUE(IsTemporaryName(temporary_, &of));
  EXPECT_EQ(of, file_);
  EXPECT_FALSE(IsTemporaryName(file_, &of));
}

}  // namespace
}  // namespace cassandra_bloom::testing
