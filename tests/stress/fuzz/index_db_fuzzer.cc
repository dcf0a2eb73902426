// SPDX-License-Identifier: Apache-2.0

// Reads an Index.db of any bytes, which must give the keys that a plain parser
// finds. The first byte of the input chooses the kind of Index.db.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter_db/sstable_version.h"
#include "tests/stress/fuzz/fuzz_reading.h"

namespace cassandra_bloom::testing {
namespace {

// Bytes, Number and VInt return false if too few bytes are left.
class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  bool Bytes(uint64_t size, std::string_view* bytes) {
    if (size > rest_.size()) {
      return false;
    }
    *bytes = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return true;
  }

  bool Number(int size, uint64_t* number) {
    std::string_view bytes;
    if (!Bytes(static_cast<uint64_t>(size), &bytes)) {
      return false;
    }
    for (const char byte : bytes) {
      *number = *number * 256 + static_cast<uint8_t>(byte);
    }
    return true;
  }

  bool VInt(uint64_t* number) {
    uint64_t first = 0;
    if (!Number(1, &first)) {
      return false;
    }
    int more = 0;
    while (more < 8 && (first & (0x80U >> more)) != 0) {
      first -= 0x80U >> more;
      ++more;
    }
    *number = first;
    return Number(more, number);
  }

 private:
  std::string_view rest_;
};

bool ParseEntry(Parser* parser, IndexKind kind, std::string_view* key,
                int64_t* position) {
  uint64_t key_size = 0;
  uint64_t stored_position = 0;
  uint64_t promoted_size = 0;
  std::string_view promoted;
  if (!parser->Number(2, &key_size) || !parser->Bytes(key_size, key)) {
    return false;
  }
  if (kind == IndexKind::kVInt
          ? !parser->VInt(&stored_position) || !parser->VInt(&promoted_size)
          : !parser->Number(8, &stored_position) ||
                !parser->Number(4, &promoted_size)) {
    return false;
  }
  const uint64_t limit =
      kind == IndexKind::kVInt ? uint64_t{1} << 63 : uint64_t{1} << 31;
  *position = static_cast<int64_t>(stored_position);
  return promoted_size < limit && parser->Bytes(promoted_size, &promoted);
}

Reading Parse(std::string_view bytes, IndexKind kind) {
  Parser parser(bytes);
  Reading reading;
  int64_t last_position = -1;
  while (!parser.at_end()) {
    std::string_view key;
    int64_t position = 0;
    if (!ParseEntry(&parser, kind, &key, &position) ||
        position <= last_position || (last_position == -1 && position != 0)) {
      return reading;
    }
    last_position = position;
    reading.keys.emplace_back(key);
  }
  reading.whole = !reading.keys.empty();
  return reading;
}

void Check(std::string_view bytes, IndexKind kind) {
  CheckReading(
      std::string(bytes), Parse(bytes, kind), [kind](const std::string& path) {
        std::string error;
        return tools::OpenSstableKeys(path,
                                      kind == IndexKind::kVInt ? "nb" : "ka",
                                      tools::KeyChecks::kCheap, &error);
      });
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using cassandra_bloom::IndexKind;
  if (size > 0) {
    cassandra_bloom::testing::Check(
        std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1),
        data[0] % 2 == 0 ? IndexKind::kVInt : IndexKind::kFixedWidth);
  }
  return 0;
}
