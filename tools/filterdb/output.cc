// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/output.h"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

namespace cassandra_bloom::tools {
namespace {

constexpr unsigned char ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the printable character of UTF-8 that `text` begins with, or 0
// if it begins with another byte (RFC 3629, section 4). The control characters
// U+0080 to U+009F are not printable.
size_t LengthOfCharacter(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  const size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < length; ++i) {
    if ((ByteAt(text, i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  const unsigned char second = ByteAt(text, 1);
  const bool is_too_long_a_form = first < 0xc2 ||
                                  (first == 0xe0 && second < 0xa0) ||
                                  (first == 0xf0 && second < 0x90);
  const bool is_control = first == 0xc2 && second < 0xa0;
  const bool is_no_character = (first == 0xed && second >= 0xa0) ||
                               first > 0xf4 || (first == 0xf4 && second > 0x8f);
  return is_too_long_a_form || is_control || is_no_character ? 0 : length;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t length = LengthOfCharacter(text);
    if (length == 0) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\x%02x", ByteAt(text, 0));
      printable += escape;
    } else {
      printable += text[0] == '\\' ? "\\\\" : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return printable;
}

void PrintJson(const Json& json) {
  // Replaces invalid bytes, because file names need not be UTF-8.
  std::cout << json.dump(2, ' ', /*ensure_ascii=*/false,
                         Json::error_handler_t::replace)
            << "\n";
}

void PrintError(const std::exception& error) {
  std::fprintf(stderr, "filterdb: %s\n", Printable(error.what()).c_str());
}

std::string Count(uint64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string ThreeDigits(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", number);
  return text;
}

std::string Percent(double rate) { return ThreeDigits(100 * rate) + " %"; }

}  // namespace cassandra_bloom::tools
