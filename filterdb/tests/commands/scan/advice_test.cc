// SPDX-License-Identifier: Apache-2.0

// What scan says is to be done: only what fits, in the order of the work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kId[] = "-5a1c395c6f9511ee8e8b0f9a4e1c2b3d";

class AdviceTest : public ::testing::Test {
 protected:
  // Returns what scan says of one SSTable in this folder.
  std::string Advice(const std::string& folder, SstableSpec spec) const {
    std::filesystem::remove_all(dir_ / "data");
    spec.folder = dir_ / "data/" + folder;
    spec.keys = {"alice", "bob", "carol"};
    std::filesystem::create_directories(spec.folder);
    WriteSstable(spec);
    return Filterdb("scan " + dir_ / "data").out;
  }

  const TempDir dir_;
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
  const std::string table = std::string("shop/orders") + kId;
  ExpectInOrder(Advice(table, SpecOf("nb", FilterFault::kKeysLeftOut)),
                {"Scan the other replicas, too",
                 "    nodetool upgradesstables -a shop orders\n",
                 "filterdb mend PATH --run=DIR", "filterdb install DIR",
                 "    nodetool repair --full shop orders\n", "gc_grace_seconds",
                 "materialized view: drop and create", "Counters"});
}

TEST_F(AdviceTest, OfDamageAndOfWaste) {
  const std::string table = std::string("shop/orders") + kId;
  const std::string damage =
      Advice(table, SpecOf("nb", FilterFault::kIndexCut));
  ExpectInOrder(damage, {"    nodetool scrub shop orders\n",
                         "    nodetool repair --full shop orders\n"});
  EXPECT_THAT(damage, Not(HasSubstr("filterdb mend")));
  const std::string waste =
      Advice(table, SpecOf("nb", FilterFault::kSaturated));
  EXPECT_THAT(waste, HasSubstr("filterdb mend PATH --run=DIR"));
  EXPECT_THAT(waste, Not(HasSubstr("replicas")));
  EXPECT_THAT(waste, Not(HasSubstr("repair")));
  const std::string good = Advice(table, SpecOf("nb"));
  EXPECT_THAT(good, Not(HasSubstr("nodetool")));
  EXPECT_THAT(good, Not(HasSubstr("filterdb mend")));
}

// A repair is no way back for these.
TEST_F(AdviceTest, WhereARepairDoesNotHelp) {
  const SstableSpec bad = SpecOf("nb", FilterFault::kKeysLeftOut);
  const std::string index =
      Advice(std::string("shop/orders") + kId + "/.by_name", bad);
  EXPECT_THAT(index, HasSubstr("nodetool rebuild_index shop orders by_name\n"));
  EXPECT_THAT(index, Not(HasSubstr("repair --full")));
  for (const std::string local : {"system", "system_schema"}) {
    const std::string text = Advice(local + "/paxos" + kId, bad);
    EXPECT_THAT(text, Not(HasSubstr("repair --full")));
    EXPECT_THAT(text, HasSubstr("are of this node alone"));
    EXPECT_THAT(text, HasSubstr("system.paxos"));
  }
  EXPECT_THAT(Advice(std::string("system_auth/roles") + kId, bad),
              HasSubstr("nodetool repair --full system_auth roles\n"));
}

TEST_F(AdviceTest, OfScyllaDb) {
  const std::string text = Advice(std::string("shop/orders") + kId,
                                  SpecOf("ms", FilterFault::kKeysLeftOut));
  EXPECT_THAT(text, HasSubstr("components_memory_reclaim_threshold"));
  EXPECT_THAT(text, HasSubstr("nodetool cluster repair"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
