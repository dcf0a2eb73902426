// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/live_ssts.h"

#include <map>
#include <string>

#include "tests/export/export_fixture.h"

namespace cassandra_bloom::testing {
namespace {

class LiveSstsTest : public ExportTest {
 protected:
  std::map<uint64_t, std::string> Identities() {
    std::map<uint64_t, std::string> identities;
    for (const LiveSst& sst : LiveSstsOf(db_.get()).files) {
      identities[sst.number] = sst.identity;
    }
    return identities;
  }
};

TEST_F(LiveSstsTest, AFileKeepsItsIdentity) {
  AddFiles(1);
  const auto before = Identities();
  EXPECT_EQ(before.size(), 1u);
  MoveToLevel(4);  // Moves the file as it is.
  db_.Reopen();
  EXPECT_EQ(Identities(), before);
}

// The second files differ in nothing but their keys, if both are written within
// a second.
TEST_F(LiveSstsTest, FilesOfTheSameNumberHaveOtherIdentities) {
  MakeTwoHistories();
  const auto first = Identities();
  SwapHistories();
  const auto second = Identities();
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(first.begin()->second, second.begin()->second);
  ASSERT_EQ(first.rbegin()->first, second.rbegin()->first);
  EXPECT_NE(first.rbegin()->second, second.rbegin()->second);
}

}  // namespace
}  // namespace cassandra_bloom::testing
