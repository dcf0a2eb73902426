// SPDX-License-Identifier: Apache-2.0

// Tests filterdb info. rate_filter_test.cc tests its verdicts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "filterdb/tests/commands/command_fixture.h"
#include "tests/support/key_of_hash.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class InfoTest : public CommandFixture {};

TEST_F(InfoTest, TellsWhatIsThere) {
  const Json built = Build(RandomKeysOf(0, 2000), "me-1-big-Filter.db");
  const Json info = Good("info me-1-big-Filter.db --json").json()[0];
  EXPECT_EQ(info["form"], "ma-to-me");
  EXPECT_EQ(info["probes"], built["probes"]);
  EXPECT_EQ(info["words"], built["words"]);
  EXPECT_EQ(info["bits"], 64 * built["words"].get<int>());
  uint64_t set_bits = 0;
  for (const char c : Read("me-1-big-Filter.db").substr(8)) {
    set_bits += static_cast<uint64_t>(
        __builtin_popcount(static_cast<unsigned char>(c)));
  }
  EXPECT_EQ(info["set_bits"], set_bits);
  EXPECT_NEAR(info["fill_ratio"], 0.5, 0.02);
  EXPECT_NEAR(info["estimated_keys"], 2000, 60);
  EXPECT_NEAR(info["estimated_rate"], 0.008, 0.002);
  EXPECT_EQ(info["verdict"], "ok");
  EXPECT_EQ(info["fault"], false);
}

TEST_F(InfoTest, GoesOnAfterABrokenFile) {
  Build(RandomKeysOf(0, 100), "nb-1-big-Filter.db");
  Build(RandomKeysOf(0, 100), "nb-3-big-Filter.db");
  Write("nb-2-big-Filter.db", "broken");
  const std::string info =
      "info nb-1-big-Filter.db nb-2-big-Filter.db nb-3-big-Filter.db ";
  const std::string error =
      "filterdb: nb-2-big-Filter.db: truncated: 6 bytes, and the header alone "
      "has 8\n";
  const Ran text = Exits(2, Run(info));
  EXPECT_EQ(text.err, error);
  EXPECT_THAT(text.out, StartsWith("nb-1-big-Filter.db\n"));
  EXPECT_THAT(text.out, HasSubstr("\nnb-3-big-Filter.db\n"));
  const Ran json = Exits(2, Run(info + "--json"));
  EXPECT_EQ(json.err, error);
  ASSERT_EQ(json.json().size(), 3u);
  EXPECT_EQ(json.json()[0]["fault"], false);
  EXPECT_EQ(json.json()[1],
            Json({{"file", "nb-2-big-Filter.db"},
                  {"error",
                   "nb-2-big-Filter.db: truncated: 6 bytes, and the header "
                   "alone has 8"},
                  {"fault", true}}));
  EXPECT_EQ(json.json()[2]["file"], "nb-3-big-Filter.db");
}

TEST_F(InfoTest, FewKeys) {
  uint32_t next_key = 0;
  for (uint32_t n = 1; n <= 12; ++n) {
    for (const char* const size :
         {"--fp-chance=0.1", "--fp-chance=0.01", "--fp-chance=0.0001"}) {
      Build(RandomKeysOf(next_key, next_key + n), "nb-1-big-Filter.db",
            std::string("--force ") + size);
      next_key += n;
      const Json info = Good("info nb-1-big-Filter.db --json --keys-expected=" +
                             std::to_string(n))
                            .json()[0];
      EXPECT_EQ(info["verdict"], "ok") << n << " keys, " << size;
      EXPECT_EQ(info["fault"], false);
    }
  }
  const Json sized_for_50 = {{"probes", 7},
                             {"words", (50 * 10 + 20 + 63) / 64}};
  Write("nb-1-big-Filter.db",
        NaiveOf(RandomKeysOf(0, 150), sized_for_50).Serialize());
  EXPECT_THAT(Exits(1, Run("info nb-1-big-Filter.db --keys-expected=50")).out,
              HasSubstr("saturated, rate not as planned for 50 keys\n"));
}

TEST_F(InfoTest, OneKeyWithOneBit) {
  const auto key = KeyOfHash(/*h1=*/64, /*h2=*/7);
  Build({std::string(key.data(), key.size())}, "nb-1-big-Filter.db",
        "--fp-chance=0.1");
  EXPECT_EQ(Good("info nb-1-big-Filter.db --json").json()[0]["set_bits"], 1);
  EXPECT_THAT(Good("info nb-1-big-Filter.db").out, HasSubstr("nearly empty\n"));
  EXPECT_THAT(Good("info nb-1-big-Filter.db --keys-expected=1").out,
              HasSubstr("verdict          ok\n"));
  EXPECT_THAT(Exits(1, Run("info nb-1-big-Filter.db --keys-expected=9")).out,
              HasSubstr("nearly empty, rate not as planned for 9 keys\n"));
}

TEST_F(InfoTest, JsonHasNoInfinity) {
  Write("nb-1-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\1", 8) + std::string(8, '\xff'));
  const Ran ran = Exits(1, Run("info nb-1-big-Filter.db --json"));
  EXPECT_EQ(ran.json()[0]["estimated_keys"], nullptr);
  EXPECT_EQ(ran.json()[0]["verdict"], "saturated");
}

}  // namespace
}  // namespace cassandra_bloom::testing
