// SPDX-License-Identifier: Apache-2.0

// What the subcommands of filterdb say, and how they end.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_OUTPUT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_OUTPUT_H_

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

namespace cassandra_bloom::tools {

enum ExitCode {
  kGood = 0,
  kFault = 1,     // The check found one.
  kUnusable = 2,  // The command line, or what it names.
};

// Ends the command with kUnusable and this message on stderr.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// On stderr, as of filterdb.
void PrintError(const std::exception& error);

// To make one takes <nlohmann/json.hpp>.
using Json = nlohmann::ordered_json;

void PrintJson(const Json& json);

// "12.3", with enough digits for small ones.
std::string ThreeDigits(double number);

// "12.3 %" of 0.123.
std::string Percent(double rate);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_OUTPUT_H_
