// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index_db_reader.h"

#include <cstdint>
#include <string_view>

#include "filterdb/sstable/bytes/vint.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {
namespace {

class EntryReader final : public IndexDbReader {
 public:
  EntryReader(int fd, IndexKind kind, const std::string& name,
              size_t buffer_size)
      : IndexDbReader(fd, name, buffer_size), kind_(kind) {}

  bool Next(std::string_view* key) override {
    if (!error().empty()) {
      return false;
    }
    if (!Require(1)) {
      return last_position_ < 0 && FailEmpty();
    }
    entry_offset_ = offset();
    Entry entry;
    if (!ReadEntry(&entry) || !CheckEntry(entry)) {
      return false;
    }
    last_position_ = entry.position;
    *key = std::string_view(data() + 2, entry.key_size);
    return Pass(entry, key);
  }

 private:
  struct Entry {
    size_t key_size = 0;
    int64_t position = 0;
    int64_t promoted_size = 0;
    size_t size = 0;  // In bytes, without the promoted index.
  };

  void Restart() override { last_position_ = kBeforeFirst; }

  bool ReadEntry(Entry* entry) {
    if (!Require(2)) {
      return FailShort("the length of a key");
    }
    entry->key_size = LoadBigEndian16(data());
    entry->size = 2 + entry->key_size;
    if (!Require(entry->size)) {
      return FailShort("a key of " + std::to_string(entry->key_size) +
                       " bytes");
    }
    return kind_ == IndexKind::kFixedWidth
               ? ReadFixedWidth(entry)
               : ReadVInt(&entry->size, &entry->position) &&
                     ReadVInt(&entry->size, &entry->promoted_size);
  }

  bool ReadFixedWidth(Entry* entry) {
    if (!Require(entry->size + 12)) {
      return FailShort(kNumbers);
    }
    const char* const numbers = data() + entry->size;
    entry->position = LoadBigEndian64(numbers);
    entry->promoted_size = LoadBigEndian32(numbers + 8);
    entry->size += 12;
    return true;
  }

  bool ReadVInt(size_t* at, int64_t* value) {
    if (!Require(*at + 1)) {
      return FailShort(kNumbers);
    }
    const size_t size = tools::SizeOfVInt(data()[*at]);
    if (!Require(*at + size)) {
      return FailShort(kNumbers);
    }
    // Cassandra reads the number as a signed long.
    *value = static_cast<int64_t>(tools::DecodeVInt({data() + *at, size}));
    *at += size;
    return true;
  }

  // The first position must be 0, and the positions must increase. If not, the
  // file is of another version, or it has zeros because of a crash. Cassandra
  // also checks the first position (SortedTableVerifier).
  bool CheckEntry(const Entry& entry) {
    if (last_position_ == kBeforeFirst && entry.position != 0) {
      return FailAtByte(offset(), "the first partition is at position " +
                                      std::to_string(entry.position) +
                                      " of Data.db, not at 0" + kLikelyCause);
    }
    if (entry.position <= last_position_) {
      return FailAtByte(offset(), "a partition at position " +
                                      std::to_string(entry.position) +
                                      " of Data.db after one at " +
                                      std::to_string(last_position_) +
                                      kLikelyCause);
    }
    return entry.promoted_size >= 0 ||
           FailAtByte(offset(), "a promoted index of " +
                                    std::to_string(entry.promoted_size) +
                                    " bytes" + kLikelyCause);
  }

  // Skips the rest of `entry`. If the rest is not in the buffer, copies the
  // key, because the buffer will be overwritten. `*key` then points to the
  // copy.
  bool Pass(const Entry& entry, std::string_view* key) {
    const auto promoted_size = static_cast<uint64_t>(entry.promoted_size);
    if (promoted_size <= size() - entry.size) {
      Consume(entry.size + static_cast<size_t>(promoted_size));
      return true;
    }
    kept_key_ = *key;
    *key = kept_key_;
    const uint64_t entry_offset = offset();
    Consume(entry.size);
    return Skip(promoted_size) ||
           FailAtByte(entry_offset, "ends inside a key's promoted index of " +
                                        std::to_string(promoted_size) +
                                        " bytes" + kLikelyCause);
  }

  bool FailEmpty() {
    return Fail("empty, but an SSTable has at least one partition");
  }

  bool FailShort(const std::string& in_what) {
    return FailAtByte(offset(), "ends inside " + in_what + ", with " +
                                    std::to_string(size()) +
                                    " bytes in the last entry" + kLikelyCause);
  }

  static constexpr char kNumbers[] = "the numbers after a key";
  static constexpr char kLikelyCause[] =
      "; the file is damaged or of another SSTable version";

  const IndexKind kind_;
  std::string kept_key_;
};

std::string NoIndexDbError(std::string_view version) {
  return "an SSTable of version " + std::string(version) +
         " has no Index.db but a trie (Partitions.db, Rows.db), which does not "
         "hold whole keys; give the keys in a file instead, or give "
         "Partitions.db to the command filterdb";
}

}  // namespace

std::unique_ptr<IndexDbReader> NewIndexDbReader(int fd, IndexKind kind,
                                                const std::string& name,
                                                size_t buffer_size) {
  return std::make_unique<EntryReader>(fd, kind, name, buffer_size);
}

std::unique_ptr<IndexDbReader> OpenIndexDbReader(const std::string& path,
                                                 std::string_view version,
                                                 std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  const bool is_trie = EndsWith(path, "Partitions.db") ||
                       EndsWith(path, "Rows.db") ||
                       (known != nullptr && known->index == IndexKind::kTrie);
  if (is_trie) {
    *error = NoIndexDbError(version);
  }
  if (is_trie || known == nullptr) {
    *error = path + ": " + *error;
    return nullptr;
  }
  const int fd = OpenInput(path, error);
  return fd < 0 ? nullptr
                : NewIndexDbReader(fd, known->index, NameOfInput(path));
}

std::unique_ptr<KeyReader> OpenIndexDb(const std::string& path,
                                       std::string_view sstable_version,
                                       std::string* error) {
  return OpenIndexDbReader(path, sstable_version, error);
}

}  // namespace cassandra_bloom
