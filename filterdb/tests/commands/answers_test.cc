// SPDX-License-Identifier: Apache-2.0

// Tests what info, check, build, convert and diff answer about valid filters:
// the JSON, and one text of each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

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
  EXPECT_THAT(Exits(1, Run("info nb-6-big-Filter.db")).out,
              HasSubstr("  fill ratio      1\n"
                        "  estimated rate  100 %\n"
                        "  verdict         saturated\n"));
  EXPECT_THAT(Good("info nb-4-big-Filter.db").out, HasSubstr("nearly empty\n"));
  EXPECT_THAT(
      Good("info nb-3-big-Filter.db").out,
      HasSubstr(
          "verdict         always present: every look-up reads the disk"));
  const Ran json =
      Exits(1, Run("info --json nb-6-big-Filter.db nb-1-big-Filter.db"));
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
                                  {"verdict", "saturated"},
                                  {"fault", true}}));
}

TEST_F(AnswersTest, InfoGoesOnAfterABrokenFile) {
  Write("nb-5-big-Filter.db", "broken");
  const Ran ran =
      Exits(2, Run("info --json nb-1-big-Filter.db nb-5-big-Filter.db "
                   "nb-1-big-Filter.db"));
  const std::string error =
      "nb-5-big-Filter.db: truncated: 6 bytes, and the header alone has 8";
  EXPECT_EQ(ran.err, "filterdb: " + error + "\n");
  ASSERT_EQ(ran.json().size(), 3U);
  EXPECT_EQ(ran.json()[1], (Json{{"file", "nb-5-big-Filter.db"},
                                 {"error", error},
                                 {"fault", true}}));
}

TEST_F(AnswersTest, Build) {
  EXPECT_EQ(Good("build --bits=10 --out=nb-9-big-Filter.db" + kText).out,
            "nb-9-big-Filter.db\n"
            "  keys           3\n"
            "  expected keys  3\n"
            "  probes         7\n"
            "  words          1\n");
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
            {"expected_keys", 3},
            {"probes", 7},
            {"words", 1}}));
}

TEST_F(AnswersTest, Check) {
  Write("absent", TextList({"dora"}));
  const std::string check = "check nb-6-big-Filter.db" + kText;
  EXPECT_EQ(Good(check + "--absent=absent").out,
            "nb-6-big-Filter.db\n"
            "  keys             3\n"
            "  missing          0\n"
            "  absent keys      1\n"
            "  false positives  1\n"
            "  measured rate    100 %\n");
  EXPECT_EQ(Exits(1, Run("check nb-4-big-Filter.db" + kText)).out,
            "nb-4-big-Filter.db\n"
            "  keys          3\n"
            "  missing       3\n"
            "  missing keys  616c696365\n"
            "  missing keys  626f62\n"
            "  missing keys  6361726f6c\n");
  EXPECT_EQ(Exits(1, Run("check --json nb-4-big-Filter.db" + kText)).json(),
            (Json{{"file", "nb-4-big-Filter.db"},
                  {"keys", 3},
                  {"missing", 3},
                  {"missing_keys", {"616c696365", "626f62", "6361726f6c"}},
                  {"fault", true}}));
  Good("check nb-3-big-Filter.db" + kText);  // Every key is present.
}

TEST_F(AnswersTest, CheckFindsTheFormThatWasWritten) {
  Write("hex", HexList(RandomKeysOf(0, 2000)));
  const std::vector<std::string> forms = {"before-ma", "ma-to-me",
                                          "na-and-later"};
  for (const std::string& written : forms) {
    Good("build --keys=hex --bits=10 --out=" + written +
         " --sstable-version=" + written);
    for (const std::string& form : forms) {
      const Ran ran = Run("check " + written +
                          " --keys=hex --json --sstable-version=" + form);
      EXPECT_EQ(ran.exit_code, form == written ? 0 : 1) << ran;
      EXPECT_EQ(ran.json().value("written_as", form), written);
      // At most ten keys are listed.
      EXPECT_EQ(ran.json().value("missing_keys", Json::array()).size(),
                form == written ? 0U : 10U);
    }
  }
  // A pipe cannot be read again to try other forms.
  EXPECT_EQ(Exits(1, Run("check na-and-later --sstable-version=me --keys=- "
                         "--json",
                         "cat hex |"))
                .json()
                .count("written_as"),
            0U);
}

// If nearly all bits are set, almost every key passes in any form of Filter.db.
// In this filter, only one bit is not set, which is a bit of the only key. In
// another form, the key passes, but filterdb check must not name that form.
TEST_F(AnswersTest, CheckFindsNoFormByChance) {
  Build({"a"}, "nb-9-big-Filter.db");
  std::string filter = Read("nb-9-big-Filter.db");
  const size_t byte = filter.find_first_not_of('\0', 8);
  const auto lowest_bit =
      static_cast<unsigned char>(filter[byte]) & -filter[byte];
  std::fill(filter.begin() + 8, filter.end(), '\xff');
  filter[byte] = static_cast<char>(~lowest_bit);
  Write("nb-9-big-Filter.db", filter);
  const Ran ran = Exits(1, Run("check nb-9-big-Filter.db --keys=keys --json"));
  EXPECT_EQ(ran.json()["missing"], 1);
  EXPECT_EQ(ran.json().count("written_as"), 0U);
  Good("check nb-9-big-Filter.db --keys=keys --sstable-version=me");
}

TEST_F(AnswersTest, Convert) {
  const Keys keys = RandomKeysOf(0, 2000);
  Build(keys, "na-9-big-Filter.db");
  Build(keys, "me-9-big-Filter.db");
  EXPECT_EQ(Good("convert na-9-big-Filter.db me-8-big-Filter.db").out,
            "me-8-big-Filter.db\n"
            "  from  na-and-later\n"
            "  to    ma-to-me\n");
  EXPECT_EQ(Read("me-8-big-Filter.db"), Read("me-9-big-Filter.db"));
  EXPECT_EQ(Good("convert --json me-8-big-Filter.db na-8-big-Filter.db").json(),
            (Json{{"file", "na-8-big-Filter.db"},
                  {"from", "ma-to-me"},
                  {"to", "na-and-later"}}));
  EXPECT_EQ(Read("na-8-big-Filter.db"), Read("na-9-big-Filter.db"));
  // The input is still read when the output is written.
  Good("convert na-8-big-Filter.db - --to=me >out 2>messages");
  EXPECT_EQ(Read("out"), Read("me-9-big-Filter.db"));
  std::filesystem::create_symlink("out", dir_ / "link");
  Good("convert out link --from=me --to=nb --force");
  EXPECT_EQ(Read("out"), Read("na-9-big-Filter.db"));
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link"));
}

TEST_F(AnswersTest, Diff) {
  Good("convert nb-1-big-Filter.db me-1-big-Filter.db");
  EXPECT_EQ(Good("diff nb-1-big-Filter.db me-1-big-Filter.db").out,
            "the same filter\n");
  EXPECT_EQ(Exits(1, Run("diff nb-1-big-Filter.db nb-6-big-Filter.db")).out,
            "other bits:\n"
            "  form          k  words  bits only here  file\n"
            "  na-and-later  5      1               0  nb-1-big-Filter.db\n"
            "  na-and-later  5      1              32  nb-6-big-Filter.db\n");
  EXPECT_EQ(Exits(1, Run("diff nb-1-big-Filter.db nb-2-big-Filter.db")).out,
            "other parameters, so the bits cannot be compared:\n"
            "  form          k  words  file\n"
            "  na-and-later  5      1  nb-1-big-Filter.db\n"
            "  na-and-later  6      1  nb-2-big-Filter.db\n");
  EXPECT_EQ(
      Exits(1, Run("diff --json nb-1-big-Filter.db nb-4-big-Filter.db")).json(),
      (Json{{"same", false},
            {"same_parameters", true},
            {"files",
             {{{"file", "nb-1-big-Filter.db"},
               {"form", "na-and-later"},
               {"probes", 5},
               {"words", 1},
               {"bits_only_here", 32}},
              {{"file", "nb-4-big-Filter.db"},
               {"form", "na-and-later"},
               {"probes", 5},
               {"words", 1},
               {"bits_only_here", 0}}}}}));
  // An empty file is the same in every form.
  Write("empty", "");
  Good("diff nb-3-big-Filter.db empty --version-b=ka");
}

TEST_F(AnswersTest, HelpOfEach) {
  const std::string all = Good("--help").out;
  for (const std::string command :
       {"scan", "mend", "info", "check", "build", "convert", "diff"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + command + " "));
    const std::string help = Good(command + " --help").out;
    EXPECT_THAT(help, HasSubstr("filterdb " + command + " [OPTIONS]"));
    EXPECT_THAT(help, HasSubstr("--json"));
  }
  EXPECT_THAT(all, HasSubstr("Exit status: 0 good, 1 a fault was found, 2"));
  for (const char* const help : {"--help", "--version", "build --help"}) {
    EXPECT_EQ(Exits(2, Run(std::string(help) + " >/dev/full")).err,
              "filterdb: cannot write to standard output\n");
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
