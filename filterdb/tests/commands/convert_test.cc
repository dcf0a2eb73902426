// SPDX-License-Identifier: Apache-2.0

// Tests filterdb convert, and filterdb diff of its outputs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "filterdb/tests/commands/command_fixture.h"

namespace cassandra_bloom::testing {
namespace {

class ConvertTest : public CommandFixture {};

TEST_F(ConvertTest, ThereAndBackAreIdentities) {
  const Keys keys = RandomKeysOf(0, 2000);
  Build(keys, "na-1-big-Filter.db");
  Build(keys, "me-1-big-Filter.db");
  EXPECT_EQ(Good("convert na-1-big-Filter.db me-2-big-Filter.db").out,
            "me-2-big-Filter.db: ma-to-me, from na-and-later\n");
  Good("convert me-2-big-Filter.db na-2-big-Filter.db");
  EXPECT_NE(Read("me-2-big-Filter.db"), Read("na-1-big-Filter.db"));
  EXPECT_EQ(Read("me-2-big-Filter.db"), Read("me-1-big-Filter.db"));
  EXPECT_EQ(Read("na-2-big-Filter.db"), Read("na-1-big-Filter.db"));

  Good("convert me-1-big-Filter.db na-3-big-Filter.db");
  Good("convert na-3-big-Filter.db me-3-big-Filter.db");
  EXPECT_EQ(Read("na-3-big-Filter.db"), Read("na-1-big-Filter.db"));
  EXPECT_EQ(Read("me-3-big-Filter.db"), Read("me-1-big-Filter.db"));

  for (const char* const filter :
       {"me-2-big-Filter.db", "na-3-big-Filter.db"}) {
    Good(std::string("check --keys=keys ") + filter);
  }
  EXPECT_EQ(Good("diff na-1-big-Filter.db me-1-big-Filter.db").out,
            "the same filter\n");
}

TEST_F(ConvertTest, WithinAFormIsACopy) {
  Build(RandomKeysOf(0, 100), "ks-cf-ka-1-Filter.db");
  Good("convert ks-cf-ka-1-Filter.db la-1-big-Filter.db");
  EXPECT_EQ(Read("la-1-big-Filter.db"), Read("ks-cf-ka-1-Filter.db"));
}

// filterdb still reads the input file when it writes the output.
TEST_F(ConvertTest, OverItself) {
  Build(RandomKeysOf(0, 2000), "filter", "--bits=10 --sstable-version=nb");
  const std::string before = Read("filter");
  Good("convert filter filter --from=nb --to=me --force");
  EXPECT_NE(Read("filter"), before);
  Good("convert filter filter --from=me --to=nb --force");
  EXPECT_EQ(Read("filter"), before);
}

TEST_F(ConvertTest, ForceOverwrites) {
  Write("nb-1-big-Filter.db", "other");
  Write("me-1-big-Filter.db", "other");
  Build(RandomKeysOf(0, 100), "nb-1-big-Filter.db", "--bits=10 --force");
  Good("convert nb-1-big-Filter.db me-1-big-Filter.db --force");
  Good("diff nb-1-big-Filter.db me-1-big-Filter.db");
}

TEST_F(ConvertTest, DiffCountsBits) {
  Write("nb-1-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\2", 8) + std::string(16, '\x0f'));
  Write("me-1-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\2", 8) + std::string(16, '\x1c'));
  const Ran ran =
      Exits(1, Run("diff nb-1-big-Filter.db me-1-big-Filter.db --json"));
  EXPECT_EQ(ran.json()["bits_only_in_a"], 32);
  EXPECT_EQ(ran.json()["bits_only_in_b"], 16);
  EXPECT_EQ(ran.json()["same"], false);
}

}  // namespace
}  // namespace cassandra_bloom::testing
