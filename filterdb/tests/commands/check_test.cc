// SPDX-License-Identifier: Apache-2.0

// Tests filterdb check with valid filters and keys.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "filterdb/tests/commands/command_fixture.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

class CheckTest : public CommandFixture {};

TEST_F(CheckTest, FindsEveryKeyThatWasBuilt) {
  const Keys random = RandomKeysOf(0, 2000);
  const Keys text = TextKeysOf(2000);
  Write("hex", HexList(random));
  Write("text", TextList(text));
  Write("binary", BinaryList(random));
  for (const std::string format : {"hex", "text", "binary"}) {
    for (const std::string version :
         {"ia", "ka", "lb", "ma", "me", "na", "nb", "oa", "da", "before-ma",
          "ma-to-me", "na-and-later"}) {
      const std::string keys = " --sstable-version=" + version +
                               " --keys=" + format + " --key-format=" + format;
      EXPECT_EQ(Good("build --bits=10 --force --out=filter" + keys).out,
                "filter: 2000 keys, 7 probes, 313 words\n");
      EXPECT_EQ(Good("check filter" + keys).out,
                "filter: 2000 keys, 0 missing\n");
      EXPECT_THAT(
          Good("info filter --keys-expected=2000 --sstable-version=" + version)
              .out,
          HasSubstr("verdict          ok\n"));
    }
  }
}

TEST_F(CheckTest, ListsMissingKeys) {
  const Json built = Build(RandomKeysOf(0, 1000), "nb-1-big-Filter.db");
  const NaiveFilter naive = NaiveOf(RandomKeysOf(0, 1000), built);
  const Keys missing = NotIn(naive, RandomKeysOf(0, 2000));
  ASSERT_GT(missing.size(), 900u);
  Write("more", HexList(RandomKeysOf(0, 2000)));

  const Ran ran = Exits(1, Run("check nb-1-big-Filter.db --keys=more"));
  EXPECT_EQ(ran.err, "");
  std::string expected = "nb-1-big-Filter.db: 2000 keys, " +
                         std::to_string(missing.size()) + " missing\n";
  for (size_t i = 0; i < 10; ++i) {
    expected += "  missing " + ToHex(missing[i]) + "\n";
  }
  EXPECT_EQ(ran.out, expected + "  ... and " +
                         std::to_string(missing.size() - 10) + " more\n");

  const Ran json = Exits(
      1, Run("check nb-1-big-Filter.db --keys=more --max-listed=3 --json"));
  EXPECT_EQ(json.json()["missing"], missing.size());
  EXPECT_EQ(json.json()["missing_keys"],
            Json({ToHex(missing[0]), ToHex(missing[1]), ToHex(missing[2])}));
  EXPECT_EQ(json.json()["fault"], true);

  const Ran all =
      Run("check nb-1-big-Filter.db --keys=more --max-listed=5000 --json");
  EXPECT_EQ(all.json()["missing_keys"].size(), missing.size());
}

std::string InOtherWordOrder(std::string filter) {
  for (auto word = filter.begin() + 8; word != filter.end(); word += 8) {
    std::reverse(word, word + 8);
  }
  return filter;
}

constexpr char kNoForm[] =
    "the hash of before-ma with the words of na-and-later, no form of "
    "Cassandra's";

TEST_F(CheckTest, FindsTheFormThatWasWritten) {
  Write("keys", HexList(RandomKeysOf(0, 2000)));
  const std::vector<std::string> forms = {"before-ma", "ma-to-me",
                                          "na-and-later"};
  for (const std::string& form : forms) {
    Good("build --keys=keys --bits=10 --out=" + form +
         " --sstable-version=" + form);
  }
  Write(kNoForm, InOtherWordOrder(Read("before-ma")));
  for (const std::string& written :
       {forms[0], forms[1], forms[2], std::string(kNoForm)}) {
    for (const std::string& form : forms) {
      if (form == written) {
        EXPECT_EQ(Good("check " + form +
                       " --keys=keys --json "
                       "--sstable-version=" +
                       form)
                      .json()
                      .count("written_as"),
                  0u);
        continue;
      }
      const std::string check = "check \"" + written +
                                "\" --keys=keys --max-listed=0 "
                                "--sstable-version=" +
                                form;
      EXPECT_THAT(Exits(1, Run(check)).out,
                  HasSubstr(" more\n  written as " + written +
                            ": read so, it has every key\n"));
      EXPECT_EQ(Run(check + " --json").json()["written_as"], written);
    }
  }
}

TEST_F(CheckTest, FindsNoFormForALostKey) {
  Build(RandomKeysOf(0, 2000), "nb-1-big-Filter.db");
  Write("keys", HexList(RandomKeysOf(0, 2500)));
  EXPECT_EQ(Exits(1, Run("check nb-1-big-Filter.db --keys=keys --json"))
                .json()
                .count("written_as"),
            0u);
}

// If nearly all bits are set, almost every key passes in any form of Filter.db.
// In this filter, only one bit is not set, which is a bit of the only key. In
// another form, the key most likely passes, but filterdb check must not name
// that form.
TEST_F(CheckTest, FindsNoFormByChance) {
  const Keys keys = RandomKeysOf(0, 1);
  Build(keys, "nb-1-big-Filter.db");
  std::string filter = Read("nb-1-big-Filter.db");
  const size_t byte = filter.find_first_not_of('\0', 8);
  const auto lowest_bit =
      static_cast<unsigned char>(filter[byte]) & -filter[byte];
  std::fill(filter.begin() + 8, filter.end(), '\xff');
  filter[byte] = static_cast<char>(~lowest_bit);
  Write("nb-1-big-Filter.db", filter);
  const Ran ran = Exits(1, Run("check nb-1-big-Filter.db --keys=keys --json"));
  EXPECT_EQ(ran.json()["missing"], 1);
  EXPECT_EQ(ran.json().count("written_as"), 0u);
}

// filterdb must read the keys again to try another form of Filter.db. A pipe
// cannot be read twice.
TEST_F(CheckTest, OfAPipeDoesNotTryOtherForms) {
  Build(RandomKeysOf(0, 2000), "filter", "--bits=10 --sstable-version=nb");
  const Ran ran = Exits(
      1,
      Run("check filter --sstable-version=me --keys=- --json", "cat keys |"));
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.json().count("written_as"), 0u);
  EXPECT_EQ(Run("check filter --sstable-version=me --keys=- --json <keys")
                .json()["written_as"],
            "na-and-later");
}

TEST_F(CheckTest, MeasuresAbsentKeys) {
  const Keys absent = RandomKeysOf(1000, 4000);
  const Json built =
      Build(RandomKeysOf(0, 1000), "nb-1-big-Filter.db", "--bits=5");
  const size_t pass =
      absent.size() -
      NotIn(NaiveOf(RandomKeysOf(0, 1000), built), absent).size();
  ASSERT_GT(pass, 0u);
  Write("absent", HexList(absent));
  const std::string check =
      "check nb-1-big-Filter.db --keys=keys --absent=absent ";
  EXPECT_THAT(Good(check).out, HasSubstr("  " + std::to_string(pass) +
                                         " of 3000 absent keys pass: "));
  const Json json = Good(check + "--json").json();
  EXPECT_EQ(json["absent_keys"], 3000);
  EXPECT_EQ(json["false_positives"], pass);
}

}  // namespace
}  // namespace cassandra_bloom::testing
