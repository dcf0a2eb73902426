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

bool ParseEntry(std::string_view* rest, IndexKind kind, std::string_view* key,
                int64_t* position) {
  uint64_t stored_position = 0;
  uint64_t promoted_size = 0;
  std::string_view promoted;
  if (!TakeKey(rest, key) ||
      (kind == IndexKind::kVInt ? !TakeVInt(rest, &stored_position) ||
                                      !TakeVInt(rest, &promoted_size)
                                : !TakeNumber(rest, 8, &stored_position) ||
                                      !TakeNumber(rest, 4, &promoted_size))) {
    return false;
  }
  const uint64_t limit =
      kind == IndexKind::kVInt ? uint64_t{1} << 63 : uint64_t{1} << 31;
  *position = static_cast<int64_t>(stored_position);
  return promoted_size < limit && TakeBytes(rest, promoted_size, &promoted);
}

Reading Parse(std::string_view rest, IndexKind kind) {
  Reading reading;
  int64_t last_position = -1;
  while (!rest.empty()) {
    std::string_view key;
    int64_t position = 0;
    if (!ParseEntry(&rest, kind, &key, &position) ||
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
