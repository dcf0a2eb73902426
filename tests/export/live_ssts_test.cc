// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/live_ssts.h"

#include <rocksdb/metadata.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

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

// Copies of a database may write different files of the same number. Files of
// the same second may then differ in nothing but their keys.
TEST(LiveSstTest, FilesThatDifferInOneFactHaveOtherIdentities) {
  rocksdb::SstFileMetaData file;
  file.file_number = 12;
  file.size = 4096;
  file.smallest_seqno = 7;
  file.largest_seqno = 9;
  file.file_creation_time = 1000;
  file.smallestkey = "ab";
  file.largestkey = "c";
  const std::vector<std::function<void(rocksdb::SstFileMetaData*)>> changes = {
      [](auto* changed) { changed->file_number = 13; },
      [](auto* changed) { changed->size = 4097; },
      [](auto* changed) { changed->smallest_seqno = 8; },
      [](auto* changed) { changed->largest_seqno = 10; },
      [](auto* changed) { changed->file_creation_time = 1001; },
      [](auto* changed) { changed->smallestkey = "aa"; },
      [](auto* changed) { changed->largestkey = "d"; },
      [](auto* changed) {
        changed->smallestkey = "a";
        changed->largestkey = "bc";
      },
  };
  std::set<std::string> identities = {ToLiveSst(file).identity};
  for (const auto& change : changes) {
    rocksdb::SstFileMetaData changed = file;
    change(&changed);
    identities.insert(ToLiveSst(changed).identity);
  }
  EXPECT_EQ(identities.size(), changes.size() + 1);
}

}  // namespace
}  // namespace cassandra_bloom::testing
