// SPDX-License-Identifier: Apache-2.0

// Reads keys, from files and pipes that a test makes, and from SSTables with a
// trie index. A test can change the content of every file.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/fake_partition_trie.h"
#include "tests/support/partition_layouts.h"
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

// ---- SSTables with a trie ----

// Returns a leaf node for the partition at `position` in Data.db.
inline std::string LeafAt(const std::string& key, int64_t position) {
  return EncodeTrieNode(0, 15, {}) + TriePayloadOf(key, ~position, 8).bytes;
}

struct TrieSstable {
  std::string nodes;  // The trie in Partitions.db.
  uint64_t root = 0;
  uint64_t num_keys = 0;
  std::string first_key;
  std::string last_key;
  std::string data;
  std::string rows;
};

inline std::string PartitionsDbOf(const TrieSstable& sstable) {
  return sstable.nodes + WithLength(sstable.first_key) +
         WithLength(sstable.last_key) + BigEndian(sstable.nodes.size(), 8) +
         BigEndian(sstable.num_keys, 8) + BigEndian(sstable.root, 8);
}

// Makes an SSTable with at most 256 keys. `filler` bytes follow each key in
// Data.db.
inline TrieSstable SstableOf(const std::vector<std::string>& keys,
                             size_t filler = 3) {
  TrieSstable sstable;
  std::vector<uint64_t> leaves;
  for (const std::string& key : keys) {
    leaves.push_back(sstable.nodes.size());
    sstable.nodes += LeafAt(key, static_cast<int64_t>(sstable.data.size()));
    sstable.data += WithLength(key) + std::string(filler, '\x7f');
  }
  sstable.root = sstable.nodes.size();
  std::vector<TrieChild> children;
  for (size_t i = 0; i < keys.size(); ++i) {
    children.emplace_back(static_cast<uint8_t>(i), sstable.root - leaves[i]);
  }
  sstable.nodes += EncodeTrieNode(11, 0, children);
  sstable.num_keys = keys.size();
  sstable.first_key = keys.front();
  sstable.last_key = keys.back();
  return sstable;
}

inline std::string WithoutFolders(const std::string& text) {
  return std::regex_replace(text, std::regex("/[^ :]*/"), "");
}

// The files of one SSTable in a temporary folder.
class MadeFiles {
 public:
  explicit MadeFiles(const TrieSstable& sstable) {
    Write("TOC.txt", "Data.db\n");
    Write("Partitions.db", PartitionsDbOf(sstable));
    Write("Rows.db", sstable.rows);
    Write("Data.db", sstable.data);
  }

  void Write(const std::string& component, const std::string& bytes) const {
    WriteFile(Path(component), bytes);
  }
  void Remove(const std::string& component) const {
    std::filesystem::remove(Path(component));
  }
  std::string Path(const std::string& component) const {
    return dir_ / ("da-1-bti-" + component);
  }

  std::unique_ptr<tools::SstableKeys> Open(
      std::string* error, const std::string& version = "da") const {
    return tools::OpenSstableKeys(Path("Partitions.db"), version,
                                  tools::KeyChecks::kCheap, error);
  }

  // Reads all keys. The error contains no names of folders.
  KeysAndError Read() const {
    KeysAndError read;
    try {
      const auto reader = Open(&read.error);
      if (reader != nullptr) {
        read = ReadKeys(reader.get());
      }
    } catch (const tools::NotSupported& error) {
      read.error = error.what();
    }
    read.error = WithoutFolders(read.error);
    return read;
  }
  std::string Error() const { return Read().error; }

 private:
  const TempDir dir_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_READ_KEYS_H_
