// SPDX-License-Identifier: Apache-2.0

// Tests what all commands share: the help, counts such as "1 key", and the
// fields of the JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "filterdb/tests/commands/command_fixture.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

class MainTest : public CommandFixture {};

TEST_F(MainTest, OneOfEach) {
  Write("keys", "61\n");
  EXPECT_EQ(Good("build --keys=keys --bits=2 --out=nb-1-big-Filter.db").out,
            "nb-1-big-Filter.db: 1 key, 1 probe, 1 word\n");
  EXPECT_EQ(Good("check nb-1-big-Filter.db --keys=keys").out,
            "nb-1-big-Filter.db: 1 key, 0 missing\n");
  Write("nb-2-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\1", 8) + std::string(8, '\0'));
  EXPECT_EQ(Run("diff nb-1-big-Filter.db nb-2-big-Filter.db").out,
            "same parameters; 1 bit only in nb-1-big-Filter.db, 0 only in "
            "nb-2-big-Filter.db\n");
}

TEST_F(MainTest, FieldsOfJson) {
  EXPECT_EQ(Fields(Build(RandomKeysOf(0, 1000), "nb-1-big-Filter.db")),
            (Keys{"expected_keys", "file", "keys", "probes", "words"}));
  const Keys info = {"bits",     "estimated_keys", "estimated_rate", "fault",
                     "file",     "fill_ratio",     "form",           "probes",
                     "set_bits", "verdict",        "words"};
  const Json infos =
      Good("info nb-1-big-Filter.db nb-1-big-Filter.db --json").json();
  ASSERT_EQ(infos.size(), 2u);
  EXPECT_EQ(Fields(infos[0]), info);
  EXPECT_EQ(Good("info nb-1-big-Filter.db --keys-expected=1000 --json")
                .json()[0]
                .count("design_rate"),
            1u);
  EXPECT_EQ(Fields(Good("check nb-1-big-Filter.db --keys=keys --json").json()),
            (Keys{"fault", "file", "keys", "missing", "missing_keys"}));
  EXPECT_EQ(
      Fields(Good("check nb-1-big-Filter.db --keys=keys --absent=keys --json")
                 .json()),
      (Keys{"absent_keys", "false_positives", "fault", "file", "keys",
            "missing", "missing_keys"}));
  EXPECT_EQ(Good("convert nb-1-big-Filter.db me-1-big-Filter.db --json").json(),
            Json({{"file", "me-1-big-Filter.db"},
                  {"from", "na-and-later"},
                  {"to", "ma-to-me"}}));
  const Json diff =
      Good("diff nb-1-big-Filter.db me-1-big-Filter.db --json").json();
  EXPECT_EQ(Fields(diff), (Keys{"a", "b", "bits_only_in_a", "bits_only_in_b",
                                "same", "same_parameters"}));
  EXPECT_EQ(Fields(diff["a"]), (Keys{"form", "probes", "words"}));
  Build(RandomKeysOf(0, 2000), "nb-2-big-Filter.db");
  const Ran other =
      Exits(1, Run("diff nb-1-big-Filter.db nb-2-big-Filter.db --json"));
  EXPECT_EQ(Fields(other.json()), (Keys{"a", "b", "same", "same_parameters"}));
  EXPECT_EQ(other.json()["same_parameters"], false);
}

TEST_F(MainTest, HelpOfEach) {
  const std::string all = Good("--help").out;
  for (const char* const command : {"(scan)", "(mend)"}) {
    EXPECT_THAT(all.substr(0, all.find("\n\n")), HasSubstr(command));
  }
  for (const std::string command :
       {"scan", "mend", "info", "check", "build", "convert", "diff"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + command + " "));
    const std::string help = Good(command + " --help").out;
    EXPECT_THAT(help, HasSubstr("filterdb " + command + " [OPTIONS]"));
    EXPECT_THAT(help, HasSubstr("--json"));
  }
  EXPECT_THAT(all, HasSubstr("Exit status: 0 good, 1 a fault was found, 2"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
