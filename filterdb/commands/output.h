// SPDX-License-Identifier: Apache-2.0

// How the subcommands of filterdb and sst_filters print and exit.
// Tested in filterdb/tests/commands/output_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

enum ExitCode {
  kGood = 0,
  kFault = 1,  // Of filterdb: waste. Of sst_filters: something to do.
  kHarm = 2,   // Rows are hidden, or filters are not used.
  kNotKnown = 3,
  kWrongUsage = 64,  // EX_USAGE of sysexits.h.
};

// An exception that ends the program with the exit code kNotKnown, and with
// this message on stderr.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The same with kWrongUsage.
class WrongUsage : public Unusable {
 public:
  using Unusable::Unusable;
};

// Returns text that is safe to print on a terminal. Control characters become
// \xNN. A backslash is doubled. This is needed because the name of a file may
// contain line ends, or commands to a terminal.
std::string Printable(std::string_view text);

// Prints the name of the program and the message to stderr, made safe by
// Printable.
void PrintError(const std::exception& error);

// Include <nlohmann/json.hpp> to create a Json.
using Json = nlohmann::ordered_json;

// These print to standard output. JSON must be UTF-8, but a file name may have
// bytes that are not UTF-8: each becomes U+FFFD. With the indent -1, the JSON
// is one line.
void PrintJson(const Json& json, int indent = 2);
inline void PrintJsonLine(const Json& json) { PrintJson(json, -1); }
void PrintText(const std::string& text);

// ---- Values as text ----

std::string ToHex(std::string_view bytes);
std::string Count(uint64_t number, const std::string& noun);  // "2 keys".
std::string ThreeDigits(double number);                       // "0.123".

// How one value becomes text. These are given a value that is there, and not
// null.
using Format = std::string (*)(const Json& value);

std::string AsText(const Json& value);
std::string AsSize(const Json& value);  // "12.3 KB"; 1 KB is 1000 bytes.
std::string AsPercent(const Json& value);
std::string AsThreeDigits(const Json& value);

// ---- Tables and lists ----

// A column of a table. A value that a row does not have is "-".
struct Field {
  const char* name;   // In the JSON.
  const char* title;  // In the text.
  Format format = AsText;
  // A column that TableText leaves out if no row has a value other than 0.
  bool is_rare = false;
  // These two are found out by TableText. Else numbers and texts are aligned to
  // the right.
  size_t width = 0;
  bool is_left = false;
};

// Return a line of a table, after two spaces: of the titles, or of a row.
std::string TitleLine(const std::vector<Field>& fields);
std::string RowLine(const std::vector<Field>& fields, const Json& row);

// Returns a table with both. Texts are aligned to the left, numbers to the
// right.
std::string TableText(const Json& rows, const std::vector<Field>& fields);

// Returns the value of the first field, and below it a line for each further
// field with its name. A list has a line for each of its elements. Booleans are
// left out, because the exit status tells them.
std::string ListText(const Json& object);
void PrintList(const Json& object, bool as_json);

// ---- Progress ----

// Shows the progress of work in a line on stderr, if the work takes more than a
// second. Shows nothing if stderr is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();  // Clears the line.

  // Shows how much of the work is done: `done` of `all`. If `all` is 0, the
  // total is unknown, and `done` is a number of bytes.
  void Show(uint64_t done, uint64_t all);
  void ShowText(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string what_;
  const bool on_terminal_;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_H_
