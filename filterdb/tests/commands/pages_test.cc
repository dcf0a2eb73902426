// SPDX-License-Identifier: Apache-2.0

// Compares the pages about filterdb with the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/support/filterdb_command.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

std::string Page(const std::string& name) {
  return ReadFile(CASSANDRA_BLOOM_SOURCE "/docs/" + name);
}

// Returns what completion.bash offers behind "filterdb" and `words`, of which
// the last one is to be completed.
std::vector<std::string> Completed(const std::string& words) {
  return Lines(
      RunProcess({"/bin/bash", "-c",
                  ". '" CASSANDRA_BLOOM_SOURCE
                  "/cmake/completion.bash'; COMP_WORDS=(filterdb " +
                      words +
                      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                      "_cassandra_bloom_tool '" CASSANDRA_BLOOM_FILTERDB
                      "' 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\""})
          .out);
}

TEST(PagesTest, Completion) {
  EXPECT_THAT(Completed("''"), IsSupersetOf({"find", "--help"}));
  EXPECT_THAT(Completed("me"), ElementsAre("mend"));
  EXPECT_THAT(Completed("mend --r"),
              ElementsAre("--run=", "--rewrite-digests"));
  EXPECT_THAT(Completed("mend --in"), ElementsAre("--in-place"));
  // In a group of options.
  EXPECT_THAT(Completed("find --key"), ElementsAre("--key=", "--key-part="));
  EXPECT_THAT(Completed("scan --w"), ElementsAre("--what-if"));
}

// The manual is the reference of all options.
TEST(PagesTest, TheManualHasEachCommandAndOption) {
  std::string manual;
  for (const char c : Page("filterdb.1")) {
    manual += c == '\\' ? "" : std::string(1, c);
  }
  for (const std::string& command : Completed("''")) {
    if (command[0] != '-') {
      EXPECT_NE(manual.find("\n.SS " + command), std::string::npos) << command;
    }
    for (const std::string& option : Completed(command + " -")) {
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
