// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <set>
#include <string>

#include "tests/support/special_files.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  static bool Write(const std::string& bytes, const std::string& path,
                    bool overwrite, std::string* error) {
    return tools::WriteOutput(
        path, overwrite,
        [&](const Append& append) {
          return append(bytes.data(), bytes.size());
        },
        error);
  }

  // Expects that writing fails, and returns the error.
  static std::string FaultOf(const std::string& bytes, const std::string& path,
                             bool overwrite) {
    std::string error;
    EXPECT_FALSE(Write(bytes, path, overwrite, &error)) << path;
    return error;
  }

  const TempDir dir_;
  const std::string bytes_ = "the bytes of a filter";
  const std::string large_ = std::string(1 << 20, 'x');  // More than a pipe's.
};

// Opens a FIFO for reading and writing. On Linux, this call does not wait for
// another process (fifo(7)).
int OpenBothWays(const std::string& fifo) {
  return open(fifo.c_str(), O_RDWR | O_CLOEXEC);
}

TEST_F(OutputFileTest, AFifo) {
  const std::string fifo = dir_ / "fifo";
  MakeFifo(fifo);
  const int fd = OpenBothWays(fifo);
  for (const bool overwrite : {false, true}) {
    std::string error;
    ASSERT_TRUE(Write(bytes_, fifo, overwrite, &error)) << error;
    ASSERT_EQ(TypeOf(fifo), mode_t{S_IFIFO});
    std::string got(2 * bytes_.size(), '\0');
    got.resize(static_cast<size_t>(read(fd, got.data(), got.size())));
    EXPECT_EQ(got, bytes_);
  }
  close(fd);
  EXPECT_EQ(dir_.Names(), std::set<std::string>{"fifo"});
}

// If the reader closes the FIFO, SIGPIPE must not end the writing program.
TEST_F(OutputFileTest, AFifoWhoseReaderGoes) {
  const std::string fifo = dir_ / "fifo";
  MakeFifo(fifo);
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  ASSERT_EQ(sigismember(&before, SIGPIPE), 0);
  auto reader = std::async(std::launch::async, [&fifo] {
    const int fd = open(fifo.c_str(), O_RDONLY);
    char byte;
    const bool got = read(fd, &byte, 1) == 1;
    close(fd);
    return got;
  });
  EXPECT_EQ(FaultOf(large_, fifo, /*overwrite=*/false),
            fifo + ": cannot write: Broken pipe");
  EXPECT_TRUE(reader.get());
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGPIPE), 0);
  EXPECT_EQ(TypeOf(fifo), mode_t{S_IFIFO});
}

TEST_F(OutputFileTest, StandardOutput) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  std::string error;
  const bool written = Write(bytes_, "-", /*overwrite=*/false, &error);
  dup2(before, STDOUT_FILENO);
  close(before);
  ASSERT_TRUE(written) << error;
  close(ends[1]);
  std::string got(2 * bytes_.size(), '\0');
  got.resize(static_cast<size_t>(read(ends[0], got.data(), got.size())));
  EXPECT_EQ(got, bytes_);
  close(ends[0]);
}

TEST_F(OutputFileTest, ADevice) {
  EXPECT_EQ(FaultOf(bytes_, "/dev/full", /*overwrite=*/false),
            "/dev/full: cannot write: No space left on device");
  const std::string device = dir_ / "null";
  if (MakeNullDevice(device)) {
    for (const bool overwrite : {false, true}) {
      std::string error;
      EXPECT_TRUE(Write(bytes_, device, overwrite, &error)) << error;
      EXPECT_EQ(TypeOf(device), mode_t{S_IFCHR});
    }
  }
}

TEST_F(OutputFileTest, WhatIsLeftAlone) {
  fs::create_directory(dir_ / "folder");
  MakeSocket(dir_ / "socket");
  const std::string rest =
      ", which is left alone; give a file, a FIFO or a character device";
  for (const bool overwrite : {false, true}) {
    EXPECT_EQ(FaultOf(bytes_, dir_ / "folder", overwrite),
              dir_ / "folder" + ": is a folder" + rest);
    EXPECT_EQ(FaultOf(bytes_, dir_ / "socket", overwrite),
              dir_ / "socket" + ": is a socket" + rest);
    if (MakeBlockDevice(dir_ / "disk")) {
      EXPECT_EQ(FaultOf(bytes_, dir_ / "disk", overwrite),
                dir_ / "disk" + ": is a block device" + rest);
      EXPECT_EQ(TypeOf(dir_ / "disk"), mode_t{S_IFBLK});
      fs::remove(dir_ / "disk");
    }
  }
  EXPECT_EQ(TypeOf(dir_ / "socket"), mode_t{S_IFSOCK});
  EXPECT_EQ(dir_.Names(), (std::set<std::string>{"folder", "socket"}));
}

TEST_F(OutputFileTest, Links) {
  fs::create_directory(dir_ / "folder");
  WriteFile(dir_ / "folder/file", "old");
  fs::create_symlink("folder/file", dir_ / "link");
  fs::create_symlink("folder/new", dir_ / "to_nothing");
  fs::create_symlink("circle", dir_ / "circle");
  EXPECT_EQ(FaultOf(bytes_, dir_ / "link", /*overwrite=*/false),
            dir_ / "folder/file" + ": will not be overwritten: File exists");
  EXPECT_EQ(ReadFile(dir_ / "folder/file"), "old");
  EXPECT_EQ(FaultOf(bytes_, dir_ / "circle", /*overwrite=*/true),
            dir_ / "circle" +
                ": cannot follow the symbolic link: Too many levels of "
                "symbolic links");
  std::string error;
  EXPECT_TRUE(Write(bytes_, dir_ / "link", /*overwrite=*/true, &error))
      << error;
  EXPECT_TRUE(Write(bytes_, dir_ / "to_nothing", /*overwrite=*/false, &error))
      << error;
  EXPECT_EQ(ReadFile(dir_ / "folder/file"), bytes_);
  EXPECT_EQ(ReadFile(dir_ / "folder/new"), bytes_);
  for (const char* const link : {"link", "to_nothing", "circle"}) {
    EXPECT_EQ(TypeOf(dir_ / link), mode_t{S_IFLNK}) << link;
  }
  fs::remove(dir_ / "circle");
  EXPECT_EQ(dir_.Names(),
            (std::set<std::string>{"folder", "folder/file", "folder/new",
                                   "link", "to_nothing"}));
}

}  // namespace
}  // namespace cassandra_bloom::testing
