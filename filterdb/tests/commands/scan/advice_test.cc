// SPDX-License-Identifier: Apache-2.0

// What scan says is to be done: only what fits, in the order of the work.

#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/scan/scan_fixture.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTable = std::string("shop/orders") + kId;

class AdviceTest : public ScanFixture {
 protected:
  // Returns what scan says of one SSTable in this folder.
  std::string Advice(const std::string& folder, const SstableSpec& spec) {
    std::filesystem::remove_all(dir_ / "data");
    Write(spec, "data/" + folder);
    return Scan().out;
  }

  Json ToRepair() const { return Report()["summary"]["tables_to_repair"]; }
};

// The places of `texts` in `text` are in this order.
void ExpectInOrder(const std::string& text,
                   const std::vector<std::string>& texts) {
  size_t at = 0;
  for (const std::string& each : texts) {
    at = text.find(each, at);
    EXPECT_NE(at, std::string::npos) << each << "\n" << text;
  }
}

TEST_F(AdviceTest, OfHiddenRows) {
  ExpectInOrder(Advice(kTable, SpecOf("nb", FilterFault::kKeysLeftOut)),
                {"Scan the other replicas, too",
                 "    nodetool upgradesstables -a shop orders\n",
                 "filterdb mend PATH --run=DIR", "filterdb install DIR",
                 "    nodetool repair --full shop orders\n", "gc_grace_seconds",
                 "materialized view: drop and create", "Counters"});
}

TEST_F(AdviceTest, OfDamageAndOfWaste) {
  const std::string damage =
      Advice(kTable, SpecOf("nb", FilterFault::kIndexCut));
  ExpectInOrder(damage, {"    nodetool scrub shop orders\n",
                         "    nodetool repair --full shop orders\n"});
  EXPECT_THAT(damage, Not(HasSubstr("filterdb mend")));
  const std::string waste =
      Advice(kTable, SpecOf("nb", FilterFault::kSaturated));
  EXPECT_THAT(waste, HasSubstr("filterdb mend PATH --run=DIR"));
  EXPECT_THAT(waste, Not(HasSubstr("replicas")));
  EXPECT_THAT(waste, Not(HasSubstr("repair")));
  const std::string good = Advice(kTable, SpecOf("nb"));
  EXPECT_THAT(good, Not(HasSubstr("nodetool")));
  EXPECT_THAT(good, Not(HasSubstr("filterdb mend")));
}

// Cassandra 5.0.6 starts without an SSTable that it refuses, and does not
// rewrite it. ScyllaDB does not start.
TEST_F(AdviceTest, OfARefusedFilter) {
  const std::string text =
      Advice(kTable, SpecOf("md", FilterFault::kTruncated));
  EXPECT_THAT(text, Not(HasSubstr("upgradesstables")));
  ExpectInOrder(text, {"filterdb mend PATH --run=DIR",
                       "    nodetool repair --full shop orders\n"});
  EXPECT_THAT(Advice(kTable, SpecOf("ms", FilterFault::kTruncated)),
              Not(HasSubstr("repair")));
}

// A repair is no way back for these.
TEST_F(AdviceTest, WhereARepairDoesNotHelp) {
  for (const FilterFault fault :
       {FilterFault::kKeysLeftOut, FilterFault::kIndexCut}) {
    const SstableSpec bad = SpecOf("nb", fault);
    const std::string index = Advice(kTable + "/.by_name", bad);
    EXPECT_THAT(index,
                HasSubstr("nodetool rebuild_index shop orders by_name\n"));
    EXPECT_THAT(index, Not(HasSubstr("repair the table")));
    EXPECT_THAT(index, Not(HasSubstr("repair --full")));
    EXPECT_THAT(index, Not(HasSubstr("nodetool scrub shop")));
    EXPECT_EQ(ToRepair()[0]["command"],
              "nodetool rebuild_index shop orders by_name");
    for (const std::string local : {"system", "system_schema"}) {
      const std::string text = Advice(local + "/paxos" + kId, bad);
      EXPECT_THAT(text, Not(HasSubstr("repair --full")));
      EXPECT_THAT(text, Not(HasSubstr("repair the table")));
      EXPECT_THAT(text, HasSubstr("are of this node alone"));
      EXPECT_THAT(text, HasSubstr("system.paxos"));
      EXPECT_TRUE(ToRepair().empty());
    }
    EXPECT_THAT(Advice(std::string("system_auth/roles") + kId, bad),
                HasSubstr("nodetool repair --full system_auth roles\n"));
    EXPECT_EQ(ToRepair().size(), 1U);
  }
}

TEST_F(AdviceTest, OfScyllaDb) {
  const std::string text =
      Advice(kTable, SpecOf("ms", FilterFault::kKeysLeftOut));
  EXPECT_THAT(text, HasSubstr("components_memory_reclaim_threshold"));
  EXPECT_THAT(text, HasSubstr("nodetool cluster repair"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
