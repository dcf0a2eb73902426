// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/live_ssts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plugin/export/read_only_env.h"
#include "tests/export/export_fixture.h"
#include "tests/support/rocksdb/two_histories.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class LiveSstsTest : public ExportTest {
 protected:
  LiveSsts List(const std::vector<std::string>& db_paths = {}) {
    LiveSsts live;
    EXPECT_TRUE(ListLiveSsts(db_.path(), db_paths, "", &live, &error_))
        << error_;
    return live;
  }

  static std::map<uint64_t, std::string> IdentitiesIn(const LiveSsts& live) {
    std::map<uint64_t, std::string> identities;
    for (const LiveSst& sst : live.files) {
      identities[sst.number] = sst.identity;
    }
    return identities;
  }
};

// A listing of the open database and one from its files must agree, because the
// listener and the command work on the same folder.
TEST_F(LiveSstsTest, BothListingsAgree) {
  AddFiles(2);
  IngestFile();
  db_.Compact();
  AddFiles(2);
  IngestFile();
  const LiveSsts open = LiveSstsOf(db_.get());
  EXPECT_EQ(open.files.size(), 4u);
  const LiveSsts listed = List();
  EXPECT_EQ(listed.database, open.database);
  EXPECT_EQ(IdentitiesIn(listed), IdentitiesIn(open));
  db_.Reopen();
  EXPECT_EQ(IdentitiesIn(LiveSstsOf(db_.get())), IdentitiesIn(open));
}

// The second files differ in nothing but their keys, if both are written within
// a second.
TEST_F(LiveSstsTest, FilesOfTheSameNumberHaveOtherIdentities) {
  TwoHistories histories(&db_);
  const auto first = IdentitiesIn(LiveSstsOf(db_.get()));
  histories.Swap();
  const auto second = IdentitiesIn(LiveSstsOf(db_.get()));
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(first.begin()->second, second.begin()->second);
  ASSERT_EQ(first.rbegin()->first, second.rbegin()->first);
  EXPECT_NE(first.rbegin()->second, second.rbegin()->second);
}

TEST_F(LiveSstsTest, ACopyIsAnotherDatabase) {
  AddFiles(1);
  db_.Close();
  const TempDir copies;
  fs::copy(db_.path(), copies / "copy");
  LiveSsts copy;
  ASSERT_TRUE(ListLiveSsts(copies / "copy", {}, "", &copy, &error_)) << error_;
  EXPECT_NE(copy.database, List().database);
}

TEST_F(LiveSstsTest, SeveralPathsAndLevels) {
  const TempDir second;
  rocksdb::Options options = db_.options();
  options.db_paths = {{db_.path(), 1}, {second.path(), uint64_t{1} << 40}};
  options.num_levels = 9;
  db_.Reopen(options);
  AddFiles(3);
  rocksdb::CompactRangeOptions compact;
  compact.change_level = true;
  compact.target_level = 8;
  compact.target_path_id = 1;
  Require(db_->CompactRange(compact, nullptr, nullptr));
  const LiveSsts without = List();
  ASSERT_EQ(without.files.size(), 1u);
  EXPECT_EQ(without.files[0].level, 8);
  EXPECT_FALSE(fs::exists(without.files[0].path));
  EXPECT_THAT(WhyMissing(without.files[0]), HasSubstr("in another folder"));
  const LiveSsts with = List({second.path()});
  EXPECT_TRUE(fs::exists(with.files[0].path));
  EXPECT_EQ(with.files[0].identity, without.files[0].identity);
  LiveSsts live;
  EXPECT_FALSE(ListLiveSsts(db_.path(), {second / "none"}, "", &live, &error_));
  EXPECT_THAT(error_, HasSubstr("/none: is not a folder"));
}

TEST_F(LiveSstsTest, AFileOfAnotherSize) {
  AddFiles(1);
  db_.Close();
  fs::resize_file(List().files[0].path, 100);
  EXPECT_THAT(List().files[0].error, HasSubstr("has 100 bytes, but the"));
}

// An OPTIONS file may name a listener of this library. It is not made, and its
// folder need not be there.
TEST_F(LiveSstsTest, ADatabaseWithAListener) {
  Listen();
  AddFiles(1);
  WriteListeners(db_, "{cassandra_bloom_export(nb,/no/such/folder)}");
  EXPECT_EQ(List().files.size(), 1u);
}

TEST_F(LiveSstsTest, TheEnvOnlyReads) {
  const std::string file = out_ / "file";
  std::unique_ptr<rocksdb::WritableFile> writable;
  EXPECT_FALSE(ReadOnlyEnv()->NewWritableFile(file, &writable, {}).ok());
  WriteFile(file, "content");
  WriteFile(out_ / "000001.log", "");
  EXPECT_FALSE(ReadOnlyEnv()->DeleteFile(file).ok());
  std::vector<std::string> names;
  EXPECT_TRUE(ReadOnlyEnv()->GetChildren(out_.path(), &names).ok());
  EXPECT_EQ(std::count(names.begin(), names.end(), "file"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "000001.log"), 0);
  EXPECT_EQ(ReadFile(file), "content");
}

}  // namespace
}  // namespace cassandra_bloom::testing
