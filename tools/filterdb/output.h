// SPDX-License-Identifier: Apache-2.0

// How the subcommands of filterdb print and exit.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_OUTPUT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_OUTPUT_H_

#include <cstdint>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

enum ExitCode {
  kGood = 0,
  kFault = 1,     // A fault was found.
  kUnusable = 2,  // Wrong usage, or unreadable input.
};

// Ends the command with kUnusable and this message on stderr.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns what `function` returns. If that is null, nullopt or false, throws
// Unusable with the error that `function` has set.
template <typename Function>
auto OrUnusable(Function function) {
  std::string error;
  auto result = function(&error);
  if (!result) {
    throw Unusable(error);
  }
  return result;
}

// Makes text safe for a terminal: returns it with \xNN for each control byte
// and each byte that is not UTF-8, and \\ for a backslash. Names of files and
// of column families may have any bytes, which could fake lines of a report or
// send commands to the terminal.
std::string Printable(std::string_view text);

// Prints "filterdb: " and the message to stderr, made safe by Printable.
void PrintError(const std::exception& error);

// To create a Json, include <nlohmann/json.hpp>.
using Json = nlohmann::ordered_json;

// Prints JSON. JSON must be UTF-8, but names of files need not be. In a field
// such as "filter", each wrong byte becomes U+FFFD, and a field "filter_hex" is
// added, with all bytes in hexadecimal. In a list, the text that Printable
// returns replaces such a name.
void PrintJson(const Json& json);

// The bytes in hexadecimal, with lower-case digits.
std::string ToHex(std::string_view bytes);

// "1 key", "2 keys". `noun` gets an "s" for any number but 1.
std::string Count(uint64_t number, const std::string& noun);

// Three significant digits, such as "12.3".
std::string ThreeDigits(double number);

// "12.3 %" for 0.123.
std::string Percent(double rate);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_OUTPUT_H_
