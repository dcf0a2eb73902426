// SPDX-License-Identifier: Apache-2.0

// An option or an operand without a value, `--out=` or `--out ''`, in every
// command: what an unset variable of a script leaves. The word after it must
// not be taken for the value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

struct Option {
  std::string command;  // Empty: none.
  std::string name;
};

// All there are, from the help. (A command's name stands at the beginning of
// its line, what it has below it.)
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
    options.push_back(
        {command, line.substr(dashes, line.find(' ', dashes) - dashes)});
  }
  return options;
}

TEST(EmptyValuesTest, OfEveryOption) {
  std::set<std::string> names;
  for (const Option& option : AllOptions()) {
    names.insert(option.command + " " + option.name);
    const TempDir dir;
    for (const char* const value : {"=", "=''", " ''"}) {
      const std::string line = option.command + " " + option.name + value;
      for (const char* const behind : {"", " --json", " word"}) {
        const Ran ran = Filterdb(line + behind, "cd " + dir.path() + ";");
        EXPECT_EQ(ran.exit_code, 2) << line << behind;
        EXPECT_EQ(ran.out, "") << line << behind;
        EXPECT_EQ(ran.err, "filterdb: " + option.name +
                               ": its value is empty; give one, or leave the "
                               "option out\nsee filterdb " +
                               option.command +
                               (option.command.empty() ? "" : " ") + "--help\n")
            << line << behind;
      }
    }
  }
  // Nothing was overlooked.
  for (const char* const name :
       {" --version", "info --sstable-version", "check --keys", "build --out",
        "build --bits", "convert --to", "diff --version-b", "export --sst",
        "export --partition-key", "export --out-dir", "doctor --plot"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(EmptyValuesTest, NothingIsWritten) {
  const TempDir dir;
  WriteFile(dir / "keys", "61\n");
  for (const char* const out : {"--out= --json", "--out='' --json",
                                "--out '' --json", "--json --out="}) {
    const Ran ran = Filterdb(std::string("build --keys=keys --bits=10 "
                                         "--sstable-version=nb ") +
                                 out,
                             "cd " + dir.path() + ";");
    EXPECT_EQ(ran.exit_code, 2) << out;
    EXPECT_EQ(Filterdb("", "ls " + dir.path() + "; exit;").out, "keys\n");
  }
}

TEST(EmptyValuesTest, OfOperands) {
  for (const char* const line :
       {"info ''", "info a ''", "check --json ''", "convert '' b",
        "convert a ''", "diff a ''", "info -- ''"}) {
    const Ran ran = Filterdb(line);
    EXPECT_EQ(ran.exit_code, 2) << line;
    EXPECT_THAT(ran.err, ::testing::HasSubstr("empty")) << line;
    EXPECT_THAT(ran.err, ::testing::HasSubstr("\nsee filterdb ")) << line;
  }
}

// What only looks like it.
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
