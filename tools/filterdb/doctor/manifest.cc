// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/doctor/manifest.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

namespace cassandra_bloom::tools {
namespace {

// Calls `visit` for each record that is whole. Returns true if the file ends in
// the middle of a record.
bool ReadRecords(const std::string& path,
                 const std::function<void(std::string_view)>& visit) {
  // Records are split at the ends of blocks. Each piece has a header: checksum
  // (4 bytes), length (2), type (1). The end of a block that is too short for a
  // header is filled with zeros.
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
        at = size;  // The rest was preallocated, never written.
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
    // Also true if the last piece is longer than the rest of the file, or if
    // the file ends within a header.
    in_a_record |= at > size || (at < size && size < kBlockSize);
  }
  return in_a_record;
}

// Reads the fields of a record of a MANIFEST (VersionEdit::DecodeFrom,
// db/version_edit.cc, 7.1 to 11.9).
class EditReader {
 public:
  EditReader(std::string_view record, std::set<uint64_t>* added)
      : rest_(record), added_(added) {}

  // Stops at a field that is not known. What comes after it counts as not
  // added, which makes doctor warn, not keep silent.
  void Read() {
    while (!rest_.empty() && ReadField()) {
    }
  }

 private:
  bool ReadField() {
    enum Tag : uint64_t {
      kComparator = 1,
      kLogNumber = 2,
      kNextFileNumber = 3,
      kLastSequence = 4,
      kCompactCursor = 5,
      kDeletedFile = 6,
      kNewFile = 7,
      kPrevLogNumber = 9,
      kMinLogNumberToKeep = 10,
      kNewFile2 = 100,
      kNewFile3 = 102,
      kNewFile4 = 103,
      kColumnFamily = 200,
      kColumnFamilyAdd = 201,
      kColumnFamilyDrop = 202,
      kMaxColumnFamily = 203,
      kInAtomicGroup = 300,
      kBlobFileAddition = 400,
      kBlobFileGarbage = 401,
      // Tags above this one have a text that may be skipped, except four old
      // ones, 8194 to 8197.
      kIgnorable = 8192,
    };
    switch (const uint64_t tag = Number()) {
      case kLogNumber:
      case kNextFileNumber:
      case kLastSequence:
      case kPrevLogNumber:
      case kMinLogNumberToKeep:
      case kColumnFamily:
      case kMaxColumnFamily:
      case kInAtomicGroup:
        return Skip("n");
      case kComparator:
      case kColumnFamilyAdd:
        return Skip("t");
      case kColumnFamilyDrop:
        return is_good_;
      case kCompactCursor:
        return Skip("nt");
      case kDeletedFile:
        return Skip("nn");
      case kNewFile:
        return Add("ntt");
      case kNewFile2:
        return Add("nttnn");
      case kNewFile3:
        return Add("nnttnn");
      case kNewFile4:
        return Add("nttnn") && SkipCustomFields(/*end=*/1);
      case kBlobFileAddition:
        return Skip("nnntt") && SkipCustomFields(/*end=*/0);
      case kBlobFileGarbage:
        return Skip("nnn") && SkipCustomFields(/*end=*/0);
      default:
        return tag > kIgnorable && (tag < 8194 || tag > 8197) && Skip("t");
    }
  }

  // A level, the number of a file, and further fields.
  bool Add(const char* further) {
    Number();
    const uint64_t number = Number();
    const bool is_good = Skip(further);
    if (is_good) {
      added_->insert(number);
    }
    return is_good;
  }

  // Skips fields: "n" is a number, "t" a text after its length.
  bool Skip(const char* fields) {
    for (; *fields != '\0'; ++fields) {
      const uint64_t number = Number();
      if (*fields == 't') {
        is_good_ &= number <= rest_.size();
        rest_.remove_prefix(is_good_ ? number : 0);
      }
    }
    return is_good_;
  }

  bool SkipCustomFields(uint64_t end) {
    for (uint64_t tag = Number(); tag != end; tag = Number()) {
      if (!Skip("t")) {
        return false;
      }
    }
    return is_good_;
  }

  // A number of 7 bits a byte, the lowest first.
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
