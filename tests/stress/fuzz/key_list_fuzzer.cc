// SPDX-License-Identifier: Apache-2.0

// Reads a list of keys with any bytes, which must give the keys that a plain
// parser finds. The first byte of the input chooses the format of the list.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "filterdb/sstable/key_reader.h"
#include "tests/stress/fuzz/fuzz_reading.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kLongestKey = 65535;

bool ParseHex(std::string line, std::string* key) {
  if (!line.empty() && line.back() == '\r') {
    line.pop_back();
  }
  if (line.empty()) {
    return false;
  }
  if (line.compare(0, 2, "0x") == 0 || line.compare(0, 2, "0X") == 0) {
    line.erase(0, 2);
  }
  const std::string digits = "0123456789abcdef0123456789ABCDEF";
  for (size_t i = 0; i < line.size(); ++i) {
    const size_t digit = digits.find(line[i]);
    if (digit == std::string::npos) {
      return false;
    }
    if (i % 2 == 0) {
      key->push_back(static_cast<char>(digit % 16 * 16));
    } else {
      key->back() =
          static_cast<char>(key->back() + static_cast<int>(digit % 16));
    }
  }
  return line.size() % 2 == 0 && key->size() <= kLongestKey;
}

bool ParseText(const std::string& line, bool is_first, std::string* key) {
  *key = line;
  return line.size() <= kLongestKey && (line.empty() || line.back() != '\r') &&
         !(is_first && line.compare(0, 3, "\xef\xbb\xbf") == 0);
}

Reading ParseLines(std::string_view bytes, bool hex) {
  Reading reading;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string line(bytes.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    std::string key;
    const bool is_first = reading.keys.empty();
    if (hex ? !ParseHex(line, &key) : !ParseText(line, is_first, &key)) {
      return reading;
    }
    reading.keys.push_back(key);
  }
  reading.whole = true;
  return reading;
}

void Check(std::string_view bytes, KeyFormat format) {
  const Reading expected = ParseLines(bytes, format == KeyFormat::kHexLines);
  CheckReading(std::string(bytes), expected, [format](const std::string& path) {
    std::string error;
    return OpenKeys(path, format, &error);
  });
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using cassandra_bloom::KeyFormat;
  if (size > 0) {
    cassandra_bloom::testing::Check(
        std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1),
        data[0] % 2 == 0 ? KeyFormat::kHexLines : KeyFormat::kTextLines);
  }
  return 0;
}
