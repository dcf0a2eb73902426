// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output.h"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

namespace cassandra_bloom::tools {
namespace {

std::string& Name() {
  static std::string name = "filterdb";
  return name;
}

constexpr unsigned char ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Returns the length in bytes of the UTF-8 character at the front of `text`.
// Returns 0 if there is no valid character (RFC 3629, section 4).
size_t LengthOfCharacter(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x80) {
    return 1;
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
  const bool is_no_character = (first == 0xed && second >= 0xa0) ||
                               first > 0xf4 || (first == 0xf4 && second > 0x8f);
  return is_too_long_a_form || is_no_character ? 0 : length;
}

// Returns whether `text` begins with a control character: U+0000 to U+001F, or
// U+007F to U+009F.
bool BeginsWithControl(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  return first < 0x20 || first == 0x7f ||
         (first == 0xc2 && ByteAt(text, 1) < 0xa0);
}

}  // namespace

void SetNameOfProgram(const std::string& name) { Name() = name; }

const std::string& NameOfProgram() { return Name(); }

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const bool is_printable =
        LengthOfCharacter(text) > 0 && !BeginsWithControl(text);
    const size_t length = is_printable ? LengthOfCharacter(text) : 1;
    if (!is_printable) {
      printable += "\\x" + ToHex(text.substr(0, 1));
    } else {
      printable += text[0] == '\\' ? "\\\\" : text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return printable;
}

void PrintJson(const Json& json) {
  std::cout << json.dump(2, ' ', /*ensure_ascii=*/false,
                         Json::error_handler_t::replace)
            << "\n";
}

void PrintError(const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", NameOfProgram().c_str(),
               Printable(error.what()).c_str());
}

std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x", ByteAt(bytes, i));
    hex += digits;
  }
  return hex;
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
