// SPDX-License-Identifier: Apache-2.0

// Tests what info, check and build answer about valid filters:
// the JSON, and one text of each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "filterdb/tests/commands/command_fixture.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

// Returns a filter of one 64-bit word. `byte` is each of its bytes.
std::string OneWord(char probes, char byte) {
  return std::string("\0\0\0", 3) + probes + std::string("\0\0\0\1", 4) +
         std::string(8, byte);
}

class AnswersTest : public CommandFixture {
 protected:
  AnswersTest() {
    Write("keys", TextList({"alice", "bob", "carol"}));
    Write("nb-1-big-Filter.db", OneWord(5, '\x55'));
    Write("nb-2-big-Filter.db", OneWord(6, '\x55'));
    Write("nb-3-big-Filter.db", "");
    Write("nb-4-big-Filter.db", OneWord(5, '\0'));
    Write("nb-6-big-Filter.db", OneWord(5, '\xff'));
  }
};

const std::string kText = " --keys=keys --key-format=text ";

TEST_F(AnswersTest, Info) {
  EXPECT_EQ(Good("info nb-1-big-Filter.db").out,
            "nb-1-big-Filter.db\n"
            "  form            na-and-later\n"
            "  probes          5\n"
            "  words           1\n"
            "  bits            64\n"
            "  set bits        32\n"
            "  fill ratio      0.5\n"
            "  estimated keys  9\n"
            "  estimated rate  3.12 %\n"
            "  verdict         ok\n");
  EXPECT_THAT(Exits(0, Run("info nb-6-big-Filter.db")).out,
              HasSubstr("  fill ratio      1\n"
                        "  estimated rate  100 %\n"
                        "  verdict         saturated\n"));
  EXPECT_THAT(Good("info nb-4-big-Filter.db").out, HasSubstr("nearly empty\n"));
  EXPECT_THAT(Exits(0, Run("info nb-3-big-Filter.db")).out,
              HasSubstr("verdict         empty: every look-up reads the disk"));
  const Ran json =
      Exits(0, Run("info --json nb-6-big-Filter.db nb-1-big-Filter.db"));
  ASSERT_EQ(json.json().size(), 2U);
  EXPECT_EQ(json.json()[0], (Json{{"file", "nb-6-big-Filter.db"},
                                  {"form", "na-and-later"},
                                  {"probes", 5},
                                  {"words", 1},
                                  {"bits", 64},
                                  {"set_bits", 64},
                                  {"fill_ratio", 1.0},
                                  {"estimated_keys", nullptr},
                                  {"estimated_rate", 1.0},
                                  {"verdict", "saturated"}}));
}

TEST_F(AnswersTest, InfoGoesOnAfterABrokenFile) {
  Write("nb-5-big-Filter.db", "broken");
  const Ran ran =
      Exits(3, Run("info --json nb-1-big-Filter.db nb-5-big-Filter.db "
                   "nb-1-big-Filter.db"));
  const std::string error =
      "nb-5-big-Filter.db: truncated: 6 bytes, and the header alone has 8";
  EXPECT_EQ(ran.err, "filterdb: " + error + "\n");
  ASSERT_EQ(ran.json().size(), 3U);
  EXPECT_EQ(ran.json()[1],
            (Json{{"file", "nb-5-big-Filter.db"}, {"error", error}}));
}

TEST_F(AnswersTest, Build) {
  EXPECT_EQ(Good("build --bits=10 --out=nb-9-big-Filter.db" + kText).out,
            "nb-9-big-Filter.db\n"
            "  keys    3\n"
            "  probes  7\n"
            "  words   1\n");
  const std::string filter = Read("nb-9-big-Filter.db");
  const Ran to_stdout = Good("build --bits=10 --out=- --sstable-version=nb" +
                             kText + "2>messages");
  EXPECT_EQ(to_stdout.out, filter);
  EXPECT_THAT(Read("messages"), HasSubstr("standard output\n"));
  EXPECT_EQ(
      Good("build --bits=10 --force --json --out=nb-9-big-Filter.db" + kText)
          .json(),
      (Json{{"file", "nb-9-big-Filter.db"},
            {"keys", 3},
            {"probes", 7},
            {"words", 1}}));
}

TEST_F(AnswersTest, Check) {
  EXPECT_EQ(Good("check nb-6-big-Filter.db" + kText).out,
            "nb-6-big-Filter.db\n"
            "  keys     3\n"
            "  missing  0\n");
  EXPECT_EQ(Exits(2, Run("check nb-4-big-Filter.db" + kText)).out,
            "nb-4-big-Filter.db\n"
            "  keys          3\n"
            "  missing       3\n"
            "  missing keys  616c696365\n"
            "  missing keys  626f62\n"
            "  missing keys  6361726f6c\n");
  EXPECT_EQ(Exits(2, Run("check --json nb-4-big-Filter.db" + kText)).json(),
            (Json{{"file", "nb-4-big-Filter.db"},
                  {"keys", 3},
                  {"missing", 3},
                  {"missing_keys", {"616c696365", "626f62", "6361726f6c"}}}));
  Good("check nb-3-big-Filter.db" + kText);  // Every key is present.
}

TEST_F(AnswersTest, HelpOfEach) {
  const std::string all = Good("--help").out;
  for (const std::string command :
       {"scan", "mend", "install", "find", "info", "check", "build"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + command + " "));
    const std::string help = Good(command + " --help").out;
    EXPECT_THAT(help, HasSubstr("filterdb " + command + " [OPTIONS]"));
    EXPECT_THAT(help, HasSubstr("--json"));
    EXPECT_THAT(help, HasSubstr("Example: filterdb " + command + " "));
    // What completion.bash asks for.
    EXPECT_THAT(Good("--complete").out, HasSubstr(command + "\n"));
    EXPECT_THAT(Good("--complete " + command).out, HasSubstr("--json\n"));
  }
  EXPECT_THAT(Good("--complete mend").out, HasSubstr("--run=\n"));
  EXPECT_THAT(all, HasSubstr("Exit status: 0 good, 1 reads or memory are"));
  for (const char* const help : {"--help", "--version", "build --help"}) {
    EXPECT_EQ(Exits(3, Run(std::string(help) + " >/dev/full")).err,
              "filterdb: cannot write to standard output\n");
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
