// SPDX-License-Identifier: Apache-2.0

// Tests empty values, such as `--out=`, which scripts make from unset
// variables. filterdb must not take the next word as the value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

struct Option {
  std::string command;  // Empty for an option of filterdb itself.
  std::string name;
};

// Returns all options that the help lists. In the help, a command's name begins
// a line, and the command's options are indented below it.
std::vector<Option> AllOptions() {
  std::vector<Option> options;
  std::string command;
  bool in_commands = false;
  for (const std::string& line : Lines(Filterdb("--help-all").out)) {
    in_commands |= line == "Subcommands:";
    if (in_commands && !line.empty() && std::islower(line[0]) != 0) {
      command = line;
    }
    const size_t begin = line.find_first_not_of(' ');
    const size_t dashes = line.find("--");
    if (begin == 0 || begin == std::string::npos || line[begin] != '-' ||
        dashes == std::string::npos) {
      continue;
    }
    // The value that an option has without one is in braces.
    options.push_back(
        {command,
         line.substr(dashes, line.find_first_of(" {", dashes) - dashes)});
  }
  return options;
}

TEST(EmptyValuesTest, OfEveryOption) {
  constexpr std::array<const char*, 3> kValues = {"=", "=''", " ''"};
  constexpr std::array<const char*, 3> kBehind = {"", " --json", " word"};
  std::set<std::string> names;
  for (const Option& option : AllOptions()) {
    names.insert(option.command + " " + option.name);
    const TempDir dir;
    // The word after the empty value differs from option to option.
    for (size_t i = 0; i < kValues.size(); ++i) {
      const std::string line = option.command + " " + option.name + kValues[i] +
                               kBehind[(i + names.size()) % kBehind.size()];
      const Ran ran = Exits(2, Filterdb(line, "cd " + dir.path() + ";"));
      EXPECT_EQ(ran.out, "") << line;
      EXPECT_EQ(ran.err, "filterdb: " + option.name +
                             ": its value is empty; give one, or leave the "
                             "option out\nsee filterdb " +
                             option.command +
                             (option.command.empty() ? "" : " ") + "--help\n")
          << line;
    }
  }
  // Checks that AllOptions has read the whole help.
  for (const char* const name :
       {" --version", "info --sstable-version", "check --keys", "build --out",
        "build --bits", "convert --to", "diff --version-b"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(EmptyValuesTest, NothingIsWritten) {
  const TempDir dir;
  WriteFile(dir / "keys", "61\n");
  for (const char* const out : {"--out= --json", "--out='' --json",
                                "--out '' --json", "--json --out="}) {
    Exits(2, Filterdb(std::string("build --keys=keys --bits=10 "
                                  "--sstable-version=nb ") +
                          out,
                      "cd " + dir.path() + ";"));
    EXPECT_EQ(Filterdb("", "ls " + dir.path() + "; exit;").out, "keys\n");
  }
}

TEST(EmptyValuesTest, OfOperands) {
  for (const char* const line :
       {"info ''", "info a ''", "check --json ''", "convert '' b",
        "convert a ''", "diff a ''", "info -- ''"}) {
    const Ran ran = Exits(2, Filterdb(line));
    EXPECT_THAT(ran.err, ::testing::HasSubstr("empty")) << line;
    EXPECT_THAT(ran.err, ::testing::HasSubstr("\nsee filterdb ")) << line;
  }
}

// After `--`, the word `--out=` is a file name.
TEST(EmptyValuesTest, OtherWords) {
  const TempDir dir;
  const Ran ran =
      Filterdb("info --sstable-version=nb -- --out=", "cd " + dir.path() + ";");
  EXPECT_EQ(ran.err,
            "filterdb: --out=: cannot open: No such file or "
            "directory\n");
}

}  // namespace
}  // namespace cassandra_bloom::testing
