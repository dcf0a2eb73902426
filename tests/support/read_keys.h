// SPDX-License-Identifier: Apache-2.0

// Inputs for key readers, and their results.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_READ_KEYS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_READ_KEYS_H_

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cassandra_bloom/key_reader.h"
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

// A file with these bytes, removed by the destructor.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) { WriteFile(path_, bytes); }

  const std::string& path() const { return path_; }

 private:
  const TempDir dir_;
  const std::string path_ = dir_ / "keys";
};

// Redirects standard input until destroyed.
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

// Makes standard input a pipe that delivers these bytes in pieces of
// `piece_size`. A test need not read all of them.
class PipedInput {
 public:
  PipedInput(const std::string& bytes, size_t piece_size) {
    std::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (pipe(ends) != 0) {
      std::perror("pipe");
      std::abort();
    }
    input_ = std::make_unique<StandardInput>(ends[0]);
    writer_ = std::thread([to = ends[1], bytes, piece_size] {
      for (size_t at = 0; at < bytes.size(); at += piece_size) {
        const size_t size = std::min(piece_size, bytes.size() - at);
        if (write(to, bytes.data() + at, size) != static_cast<ssize_t>(size)) {
          break;
        }
      }
      close(to);
    });
  }
  ~PipedInput() {
    input_.reset();
    writer_.join();
  }

 private:
  std::unique_ptr<StandardInput> input_;
  std::thread writer_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_READ_KEYS_H_
