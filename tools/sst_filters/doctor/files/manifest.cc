// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/manifest.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>

namespace cassandra_bloom::tools {
namespace {

// Calls `visit` for each whole record. Returns true if the file ends in the
// middle of a record.
bool ReadRecords(const std::string& path,
                 const std::function<void(std::string_view)>& visit) {
  // Records are split at the ends of blocks. Each piece has a header: checksum
  // (4 bytes), length (2 bytes), type (1 byte). If the rest of a block is too
  // short for a header, zeros fill the rest.
  constexpr size_t kBlockSize = 32768;
  constexpr size_t kHeaderSize = 7;
  enum PieceType { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::string block(kBlockSize, '\0');
  std::string record;
  bool in_a_record = false;
  for (size_t size = kBlockSize; size == kBlockSize;) {
    file.read(block.data(), static_cast<std::streamsize>(kBlockSize));
    size = static_cast<size_t>(file.gcount());
    size_t at = 0;
    while (at + kHeaderSize <= size) {
      const auto byte = [&](size_t i) {
        return static_cast<unsigned char>(block[at + i]);
      };
      const size_t length = byte(4) + size_t{256} * byte(5);
      const unsigned char type = byte(6);
      if (type == kZero && length == 0) {
        at = size;  // The rest was preallocated but not written.
        break;
      }
      at += kHeaderSize + length;
      in_a_record = type == kFirst || type == kMiddle;
      if (at <= size) {
        if (type == kFull || type == kFirst) {
          record.clear();
        }
        record.append(block, at - length, length);
        if (type == kFull || type == kLast) {
          visit(record);
        }
      }
    }
    // The file also ends in a record if the last header promises more bytes
    // than the file has, or if the file ends within a header.
    in_a_record |= at > size || (at < size && size < kBlockSize);
  }
  return in_a_record;
}

// A tag in a record of a MANIFEST, and the fields that follow the tag
// (VersionEdit::DecodeFrom, db/version_edit.cc, RocksDB 7.1 to 11.9). Each
// letter of `fields` is a field: n is a number, f is the number of an added SST
// file, and t is a text after its length. If `end` is not negative, further
// tags follow the fields. Each of these tags has a text, except for the last
// tag, which is `end`.
struct Edit {
  uint64_t tag;
  const char* fields;
  int end = -1;
};
constexpr Edit kEdits[] = {
    {1, "t"},             // comparator
    {2, "n"},             // log number
    {3, "n"},             // next file number
    {4, "n"},             // last sequence number
    {5, "nt"},            // compact cursor
    {6, "nn"},            // deleted file
    {7, "nfntt"},         // new file
    {9, "n"},             // previous log number
    {10, "n"},            // least log number to keep
    {100, "nfnttnn"},     // new file, second form
    {102, "nfnnttnn"},    // new file, third form
    {103, "nfnttnn", 1},  // new file, fourth form
    {200, "n"},           // column family
    {201, "t"},           // column family that is added
    {202, ""},            // column family that is dropped
    {203, "n"},           // largest column family
    {300, "n"},           // in an atomic group
    {400, "nnntt", 0},    // new blob file
    {401, "nnn", 0},      // garbage in a blob file
};

std::optional<Edit> EditOf(uint64_t tag) {
  for (const Edit& edit : kEdits) {
    if (edit.tag == tag) {
      return edit;
    }
  }
  // An unknown tag above 8192 has a text, which may be skipped. The old tags
  // from 8194 to 8197 have other fields.
  const bool is_skippable = tag > 8192 && (tag < 8194 || tag > 8197);
  return is_skippable ? std::optional(Edit{tag, "t"}) : std::nullopt;
}

class EditReader {
 public:
  EditReader(std::string_view record, std::set<uint64_t>* added)
      : rest_(record), added_(added) {}

  // Stops at an unknown tag. Files after this tag count as not added. Then
  // sst_filters doctor warns about these files, which is better than no
  // warning.
  void Read() {
    while (!rest_.empty() && ReadEdit()) {
    }
  }

 private:
  bool ReadEdit() {
    const auto edit = EditOf(Number());
    if (!edit) {
      return false;
    }
    std::optional<uint64_t> file;
    for (const char* field = edit->fields; *field != '\0'; ++field) {
      const uint64_t number = Number();
      if (*field == 'f') {
        file = number;
      } else if (*field == 't') {
        SkipText(number);
      }
    }
    if (is_good_ && file) {
      added_->insert(*file);
    }
    while (is_good_ && edit->end >= 0 &&
           Number() != static_cast<uint64_t>(edit->end)) {
      SkipText(Number());
    }
    return is_good_;
  }

  void SkipText(uint64_t size) {
    is_good_ &= size <= rest_.size();
    rest_.remove_prefix(is_good_ ? size : 0);
  }

  // Reads a number with 7 bits in each byte, the lowest bits first.
  uint64_t Number() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) {
        break;
      }
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return number;
      }
    }
    is_good_ = false;
    return 0;
  }

  std::string_view rest_;
  std::set<uint64_t>* const added_;
  bool is_good_ = true;
};

}  // namespace

bool EndsInARecord(const std::string& path) {
  return ReadRecords(path, [](std::string_view) {});
}

std::set<uint64_t> FilesAddedBy(const std::string& manifest) {
  std::set<uint64_t> added;
  ReadRecords(manifest, [&](std::string_view record) {
    EditReader(record, &added).Read();
  });
  return added;
}

}  // namespace cassandra_bloom::tools
