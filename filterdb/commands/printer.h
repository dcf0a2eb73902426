// SPDX-License-Identifier: Apache-2.0

// Prints the answer of a command, as text or as JSON. A command puts its whole
// answer into one JSON value. The text is a table or a list of its fields.
// Tested in filterdb/tests/commands/printer_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_PRINTER_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_PRINTER_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"

namespace cassandra_bloom::tools {

// How one value becomes text. These are given a value that is there, and not
// null. A list becomes a line for each of its elements.
using Format = std::string (*)(const Json& value);

std::string AsText(const Json& value);
std::string AsSize(const Json& value);         // "12.3 KB"; 1 KB is 1000 bytes.
std::string AsPercent(const Json& value);      // "12.3 %" for 0.123.
std::string AsThreeDigits(const Json& value);  // "0.123".
std::string AsFraction(const Json& value);     // "0.123", always with a point.
std::string AsRounded(const Json& value);      // "12".

// A column of a table, or a line of a list.
struct Field {
  const char* name;   // In the JSON.
  const char* title;  // In the text.
  Format format = AsText;
  // A column that is left out if no row has a value other than 0.
  bool is_rare = false;
};

// Returns lines that stand below the row of a table.
using Notes = std::function<std::vector<std::string>(const Json& row)>;

// Returns a table with a line for the titles and one for each row, each after
// two spaces. Texts are aligned to the left, numbers to the right. A value that
// a row does not have is "-".
std::string TableText(const Json& rows, const std::vector<Field>& fields,
                      const Notes& notes = nullptr);

// Returns the value of the first field, and below it a line for each further
// field that the object has.
std::string ListText(const Json& object, const std::vector<Field>& fields);

// These print to standard output.
void PrintText(const std::string& text);
void PrintList(const Json& object, const std::vector<Field>& fields,
               bool as_json);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_PRINTER_H_
