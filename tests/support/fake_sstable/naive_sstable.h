// SPDX-License-Identifier: Apache-2.0

// Reads the index of an SSTable in the plainest way, without any code of the
// writer, to test it.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_NAIVE_SSTABLE_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_NAIVE_SSTABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

inline uint8_t NaiveByte(const std::string& file, uint64_t at) {
  return static_cast<uint8_t>(file.at(at));
}

inline uint64_t NaiveNumber(const std::string& file, uint64_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number = number * 256 + NaiveByte(file, at + i);
  }
  return number;
}

inline std::string NaiveText(const std::string& file, uint64_t at) {
  return file.substr(at + 2, NaiveNumber(file, at, 2));
}

// Moves `at` to the byte after the number.
inline uint64_t NaiveVInt(const std::string& file, uint64_t* at) {
  const uint8_t first = NaiveByte(file, (*at)++);
  size_t more = 0;
  while (more < 8 && (first & (0x80 >> more)) != 0) {
    ++more;
  }
  uint64_t number = more == 8 ? 0 : first % (1U << (8 - more));
  for (size_t i = 0; i < more; ++i) {
    number = number * 256 + NaiveByte(file, (*at)++);
  }
  return number;
}

struct NaiveTrieEntry {
  std::string path;
  uint8_t hash;
  int64_t position;

  friend bool operator==(const NaiveTrieEntry& a, const NaiveTrieEntry& b) {
    return a.path == b.path && a.hash == b.hash && a.position == b.position;
  }
};

struct NaiveTrieChild {
  uint8_t byte;
  uint64_t position;
};

// The trie in a file, or in a part of a file that begins at `base`.
class NaiveTrie {
 public:
  explicit NaiveTrie(const std::string& file, uint64_t base = 0)
      : file_(file), base_(base), types_(16) {}

  std::vector<NaiveTrieEntry> Walk(uint64_t root) {
    entries_.clear();
    Visit(root, "");
    return entries_;
  }

  // How many nodes of each type it has seen.
  const std::vector<size_t>& types() const { return types_; }

  std::vector<NaiveTrieChild> Children(uint64_t node) {
    const uint64_t at = node - base_;
    const auto type = static_cast<size_t>(NaiveByte(file_, at) >> 4);
    ++types_[type];
    const uint64_t nibble = NaiveByte(file_, at) & 0xf;
    switch (type) {
      case 0:
        return {};
      case 1:
        return {{NaiveByte(file_, at + 1), node - nibble}};
      case 2:
      case 4:
        return {{NaiveByte(file_, at + 1),
                 node - NaiveNumber(file_, at + 2, type / 2)}};
      case 3:
        return {{NaiveByte(file_, at + 2),
                 node - nibble * 256 - NaiveByte(file_, at + 1)}};
      default:
        return type < 10 ? Sparse(node, type) : Dense(node, type);
    }
  }

 private:
  uint64_t Distance(uint64_t at, size_t index, size_t nibbles) const {
    uint64_t distance = 0;
    for (size_t i = index * nibbles; i < (index + 1) * nibbles; ++i) {
      const uint8_t byte = NaiveByte(file_, at + i / 2);
      distance = distance * 16 + (i % 2 == 0 ? byte / 16U : byte % 16U);
    }
    return distance;
  }

  std::vector<NaiveTrieChild> Sparse(uint64_t node, size_t type) const {
    constexpr size_t kNibbles[] = {2, 3, 4, 6, 10};
    const uint64_t at = node - base_;
    const size_t count = NaiveByte(file_, at + 1);
    std::vector<NaiveTrieChild> children;
    for (size_t i = 0; i < count; ++i) {
      children.push_back(
          {NaiveByte(file_, at + 2 + i),
           node - Distance(at + 2 + count, i, kNibbles[type - 5])});
    }
    return children;
  }

  std::vector<NaiveTrieChild> Dense(uint64_t node, size_t type) const {
    constexpr size_t kNibbles[] = {3, 4, 6, 8, 10, 16};
    const uint64_t at = node - base_;
    const size_t length = NaiveByte(file_, at + 2) + 1U;
    std::vector<NaiveTrieChild> children;
    for (size_t i = 0; i < length; ++i) {
      const uint64_t distance = Distance(at + 3, i, kNibbles[type - 10]);
      if (distance != 0) {
        children.push_back({static_cast<uint8_t>(NaiveByte(file_, at + 1) + i),
                            node - distance});
      }
    }
    return children;
  }

  // Only leaves have a payload in Partitions.db.
  void Visit(uint64_t node, const std::string& path) {
    const uint64_t at = node - base_;
    const size_t flags = NaiveByte(file_, at) % 16U;
    const std::vector<NaiveTrieChild> children = Children(node);
    if (children.empty()) {
      const size_t size = flags - 7;
      const uint64_t high_bits = NaiveByte(file_, at + 2) >= 0x80 && size < 8
                                     ? ~uint64_t{0} << (8 * size)
                                     : 0;
      entries_.push_back(
          {path, NaiveByte(file_, at + 1),
           static_cast<int64_t>(high_bits | NaiveNumber(file_, at + 2, size))});
    }
    for (const NaiveTrieChild& child : children) {
      Visit(child.position, path + static_cast<char>(child.byte));
    }
  }

  const std::string& file_;
  const uint64_t base_;
  std::vector<size_t> types_;
  std::vector<NaiveTrieEntry> entries_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_NAIVE_SSTABLE_H_
