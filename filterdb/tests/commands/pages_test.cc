// SPDX-License-Identifier: Apache-2.0

// Compares the pages about filterdb with the program.

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

std::string Page(const std::string& name) {
  return ReadFile(CASSANDRA_BLOOM_SOURCE "/docs/" + name);
}

// The manual is the reference of all options.
TEST(PagesTest, TheManualHasEachCommandAndOption) {
  std::string manual;
  for (const char c : Page("filterdb.1")) {
    manual += c == '\\' ? "" : std::string(1, c);
  }
  for (const std::string& command :
       Lines(Exits(0, Filterdb("--complete")).out)) {
    if (command[0] != '-') {
      EXPECT_NE(manual.find("\n.SS " + command), std::string::npos) << command;
    }
    for (const std::string& option :
         Lines(Exits(0, Filterdb("--complete " + command)).out)) {
      EXPECT_TRUE(manual.find(option) != std::string::npos ||
                  option == "--help-all" || option == "--version")
          << command << ": " << option;
    }
  }
}

// A snapshot may share the file, which `cp` would cut and write over.
TEST(PagesTest, NoLineCopiesOverAFilter) {
  const std::regex copies("\\bcp\\b[^&;|]*Filter\\.db *$");
  EXPECT_TRUE(std::regex_search("  cp new/1 t/nb-1-big-Filter.db", copies));
  for (const char* const page :
       {"filterdb.md", "filterdb_node.md", "watching.md", "filterdb.1"}) {
    for (const std::string& line : Lines(Page(page))) {
      EXPECT_FALSE(std::regex_search(line, copies)) << page << ": " << line;
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
