// SPDX-License-Identifier: Apache-2.0

// How the subcommands of filterdb and sst_filters print and exit.
// Tested in filterdb/tests/commands/printer_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_H_

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

// The name of the program, which begins every error message. filterdb, unless
// it was set.
void SetNameOfProgram(const std::string& name);
const std::string& NameOfProgram();

// An exception that ends the program with the exit code kUnusable, and with
// this message on stderr.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls `function`, and returns its result. If the result is null, nullopt or
// false, throws Unusable with the error that `function` has set.
template <typename Function>
auto OrUnusable(Function function) {
  std::string error;
  auto result = function(&error);
  if (!result) {
    throw Unusable(error);
  }
  return result;
}

// Returns text that is safe to print on a terminal. Control bytes, and bytes
// that are not UTF-8, become \xNN. A backslash is doubled. This is needed
// because the name of a file may contain line ends, or commands to a terminal.
std::string Printable(std::string_view text);

// Prints the name of the program and the message to stderr, made safe by
// Printable.
void PrintError(const std::exception& error);

// Include <nlohmann/json.hpp> to create a Json.
using Json = nlohmann::ordered_json;

// Prints JSON to standard output. JSON must be UTF-8, but a file name may have
// bytes that are not UTF-8: each becomes U+FFFD.
void PrintJson(const Json& json);

std::string ToHex(std::string_view bytes);

std::string Count(uint64_t number, const std::string& noun);

std::string ThreeDigits(double number);

// Returns, for example, "12.3 %" for 0.123.
std::string Percent(double rate);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_H_
