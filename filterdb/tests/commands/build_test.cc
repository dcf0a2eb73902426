// SPDX-License-Identifier: Apache-2.0

// Tests filterdb build with valid keys, from a list or from an index.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "filterdb/tests/commands/command_fixture.h"

namespace cassandra_bloom::testing {
namespace {

class BuildTest : public CommandFixture {};

TEST_F(BuildTest, EqualsTheReference) {
  const struct {
    std::string size;
    int probes;
    uint64_t words;
  } cases[] = {{"--bits=10", 7, (2000 * 10 + 20 + 63) / 64},
               {"--fp-chance=0.01", 5, (2000 * 10 + 20 + 63) / 64}};
  const Keys keys = RandomKeysOf(0, 2000);
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.size);
    const Json built =
        Build(keys, "nb-1-big-Filter.db", expected.size + " --force");
    EXPECT_EQ(built["keys"], 2000);
    EXPECT_EQ(built["probes"], expected.probes);
    EXPECT_EQ(built["words"], expected.words);
    EXPECT_EQ(Read("nb-1-big-Filter.db"), NaiveOf(keys, built).Serialize());
  }
}

// The name of the index gives its version, whatever that of the filter is.
TEST_F(BuildTest, FilterAndIndexOfDifferentForms) {
  const Keys keys = RandomKeysOf(0, 2000);
  Write("keys", HexList(keys));
  Write("ks-cf-ka-1-Index.db", IndexDb(keys, /*before_ma=*/true));
  Write("index", IndexDb(keys, /*before_ma=*/false));
  Good("build --keys=keys --bits=10 --out=from_keys --sstable-version=nb");
  for (const char* const index : {"ks-cf-ka-1-Index.db", "index"}) {
    Good(std::string("build --bits=10 --force --sstable-version=nb "
                     "--out=from_index --index=") +
         index);
    EXPECT_EQ(Read("from_index"), Read("from_keys"));
  }
}

TEST_F(BuildTest, KeysFromStandardInput) {
  Build(RandomKeysOf(0, 2000), "nb-1-big-Filter.db");
  Good("build --bits=10 --keys=- --out=nb-2-big-Filter.db <keys");
  Good("build --bits=10 --keys=- --out=nb-3-big-Filter.db", "cat keys |");
  EXPECT_EQ(Read("nb-2-big-Filter.db"), Read("nb-1-big-Filter.db"));
  EXPECT_EQ(Read("nb-3-big-Filter.db"), Read("nb-1-big-Filter.db"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
