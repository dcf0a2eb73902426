// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
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

// Returns an input of which each read gets one packet, as of a pipe whose
// writer is slow. All packets together must have less than 100 KB, and be fewer
// than 200.
inline int PacketsOf(const std::vector<std::string>& packets) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  for (const std::string& packet : packets) {
    EXPECT_EQ(send(ends[1], packet.data(), packet.size(), MSG_DONTWAIT),
              static_cast<ssize_t>(packet.size()));
  }
  close(ends[1]);
  return ends[0];
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_
