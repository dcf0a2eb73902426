// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/index_db_reader.h"

#include <cstdint>

#include "filterdb/sstable/bytes/buffered_input.h"
#include "filterdb/sstable/bytes/vint.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kNumbers[] = "the numbers after a key";

class IndexDbReader final : public IndexReader, private BufferedInput {
 public:
  IndexDbReader(int fd, IndexKind kind, const std::string& name,
                size_t buffer_size)
      : BufferedInput(fd, name, buffer_size), kind_(kind) {}

  bool Next(IndexEntry* entry) override {
    size_t key_size = 0;
    Numbers numbers;
    if (!error().empty() || !Require(1) || !ReadKeySize(&key_size) ||
        !ReadNumbers(2 + key_size, &numbers)) {
      return false;
    }
    entry->path = &name();
    entry->offset = offset();
    entry->position = static_cast<uint64_t>(numbers.position);
    std::string_view key(data() + 2, key_size);
    const bool passed = Pass(numbers, &key);
    entry->key = key;
    return passed;
  }

  bool Rewind() override { return BufferedInput::Rewind(); }
  const std::string& error() const override { return BufferedInput::error(); }
  uint64_t bytes_read() const override { return BufferedInput::bytes_read(); }
  uint64_t total_bytes() const override { return BufferedInput::total_bytes(); }

 private:
  struct Numbers {
    int64_t position = 0;
    int64_t promoted_size = 0;
    size_t end = 0;  // Where the entry ends, without the promoted index.
  };

  bool ReadKeySize(size_t* key_size) {
    if (!Require(2)) {
      return FailShort("the length of a key");
    }
    *key_size = LoadBigEndian16(data());
    return Require(2 + *key_size) ||
           FailShort("a key of " + std::to_string(*key_size) + " bytes");
  }

  // Reads the numbers that begin `at` bytes after the beginning of the entry.
  bool ReadNumbers(size_t at, Numbers* numbers) {
    numbers->end = at;
    if (kind_ == IndexKind::kFixedWidth) {
      if (!Require(at + 12)) {
        return FailShort(kNumbers);
      }
      numbers->position = LoadBigEndian64(data() + at);
      numbers->promoted_size = LoadBigEndian32(data() + at + 8);
      numbers->end = at + 12;
    } else if (!ReadVInt(&numbers->end, &numbers->position) ||
               !ReadVInt(&numbers->end, &numbers->promoted_size)) {
      return false;
    }
    if (numbers->position < 0) {
      return FailAtByte(offset(), "a partition at position " +
                                      std::to_string(numbers->position) +
                                      " of Data.db" + kDamagedIndex);
    }
    return numbers->promoted_size >= 0 ||
           FailAtByte(offset(), "a promoted index of " +
                                    std::to_string(numbers->promoted_size) +
                                    " bytes" + kDamagedIndex);
  }

  bool ReadVInt(size_t* at, int64_t* value) {
    if (!Require(*at + 1)) {
      return FailShort(kNumbers);
    }
    const size_t vint_size = SizeOfVInt(data()[*at]);
    if (!Require(*at + vint_size)) {
      return FailShort(kNumbers);
    }
    // Cassandra reads the number as a signed long.
    *value = static_cast<int64_t>(DecodeVInt({data() + *at, vint_size}));
    *at += vint_size;
    return true;
  }

  // Skips the entry. If its promoted index is not in the buffer, copies the
  // key, because the buffer will be overwritten. `*key` then points to the
  // copy.
  bool Pass(const Numbers& numbers, std::string_view* key) {
    const auto promoted_size = static_cast<uint64_t>(numbers.promoted_size);
    if (promoted_size <= size() - numbers.end) {
      Consume(numbers.end + static_cast<size_t>(promoted_size));
      return true;
    }
    kept_key_ = *key;
    *key = kept_key_;
    const uint64_t entry_offset = offset();
    Consume(numbers.end);
    return Skip(promoted_size) ||
           FailAtByte(entry_offset, "ends inside a key's promoted index of " +
                                        std::to_string(promoted_size) +
                                        " bytes" + kDamagedIndex);
  }

  bool FailShort(const std::string& in_what) {
    return FailAtByte(offset(), "ends inside " + in_what + ", with " +
                                    std::to_string(size()) +
                                    " bytes in the last entry" + kDamagedIndex);
  }

  const IndexKind kind_;
  std::string kept_key_;
};

}  // namespace

std::unique_ptr<IndexReader> NewIndexDbReader(int fd, IndexKind kind,
                                              const std::string& name,
                                              size_t buffer_size) {
  return std::make_unique<IndexDbReader>(fd, kind, name, buffer_size);
}

std::unique_ptr<IndexReader> OpenIndexDb(const std::string& path,
                                         std::string_view version,
                                         std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  const bool is_trie = EndsWith(path, "Rows.db") ||
                       (known != nullptr && known->index == IndexKind::kTrie);
  if (is_trie) {
    *error = "an SSTable of version " + std::string(version) +
             " has no Index.db but a trie (Partitions.db, Rows.db): give its "
             "Partitions.db, with the other components beside it, or the keys "
             "in a file";
  }
  if (is_trie || known == nullptr) {
    *error = path + ": " + *error;
    return nullptr;
  }
  const int fd = OpenInput(path, error);
  return fd < 0 ? nullptr
                : NewIndexDbReader(fd, known->index, NameOfInput(path),
                                   kInputBufferSize);
}

}  // namespace cassandra_bloom::tools
