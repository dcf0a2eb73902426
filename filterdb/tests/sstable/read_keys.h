// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "filterdb/sstable/key_reader.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

struct KeysAndError {
  std::vector<std::string> keys;
  std::string error;
};

inline KeysAndError ReadKeys(KeyReader* reader) {
  KeysAndError read;
  for (std::string_view key; reader->Next(&key);) {
    read.keys.emplace_back(key);
  }
  read.error = reader->error();
  return read;
}

// A file with these bytes. The destructor removes it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) { WriteFile(path_, bytes); }

  const std::string& path() const { return path_; }

 private:
  const TempDir dir_;
  const std::string path_ = dir_ / "keys";
};

// Expects `keys_before` keys, then an error that begins with the path of the
// file and contains `error`. `open(path)` opens a reader of a file.
template <typename Open>
void ExpectBroken(std::string_view bytes, size_t keys_before,
                  const std::string& error, Open open) {
  const TemporaryFile file{std::string(bytes)};
  const std::unique_ptr<KeyReader> reader = open(file.path());
  const KeysAndError read = ReadKeys(reader.get());
  EXPECT_EQ(read.keys.size(), keys_before);
  EXPECT_EQ(read.error.rfind(file.path() + ": ", 0), 0U) << read.error;
  EXPECT_NE(read.error.find(error), std::string::npos) << read.error;
  // The error must stay if the test reads on.
  EXPECT_EQ(ReadKeys(reader.get()).keys.size(), 0U);
  EXPECT_EQ(reader->error(), read.error);
}

// Makes `fd` the standard input while this object exists. Closes `fd`.
class StandardInput {
 public:
  explicit StandardInput(int fd) : saved_(dup(STDIN_FILENO)) {
    dup2(fd, STDIN_FILENO);
    close(fd);
  }
  ~StandardInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  const int saved_;
};

inline int FileOf(const std::string& bytes) {
  const int fd = memfd_create("keys", MFD_CLOEXEC);
  if (fd < 0 || pwrite(fd, bytes.data(), bytes.size(), /*offset=*/0) !=
                    static_cast<ssize_t>(bytes.size())) {
    std::perror("memfd_create");
    std::abort();
  }
  return fd;
}

// Makes a pipe the standard input while this object exists, and writes `bytes`
// to it in pieces of `piece_size` bytes. A piece may end in the middle of a
// record. A test may stop reading before the end.
class PipedInput {
 public:
  PipedInput(const std::string& bytes, size_t piece_size) {
    std::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (pipe(ends) != 0) {
      std::perror("pipe");
      std::abort();
    }
    input_.emplace(ends[0]);
    writer_ = std::thread([to = ends[1], bytes, piece_size] {
      for (size_t at = 0; at < bytes.size(); at += piece_size) {
        const size_t size = std::min(piece_size, bytes.size() - at);
        if (write(to, bytes.data() + at, size) != static_cast<ssize_t>(size)) {
          break;
        }
        WaitUntilRead(to);
      }
      close(to);
    });
  }
  ~PipedInput() {
    input_.reset();  // So that the writer ends.
    writer_.join();
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;

 private:
  // Waits until the pipe is empty or its reader has closed it.
  static void WaitUntilRead(int fd) {
    struct pollfd writer = {fd, POLLOUT, 0};
    for (int left = 1; left > 0 && (writer.revents & POLLERR) == 0;) {
      std::this_thread::yield();
      ioctl(fd, FIONREAD, &left);
      poll(&writer, 1, /*timeout=*/0);
    }
  }

  std::optional<StandardInput> input_;
  std::thread writer_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_
