// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/database_listing.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class DatabaseListingTest : public ExportTest {
 protected:
  DatabaseListing List(const std::vector<std::string>& db_paths = {}) {
    DatabaseListing live;
    EXPECT_TRUE(ListDatabase(db_.path(), db_paths, "", &live, &error_))
        << error_;
    return live;
  }

  template <typename Listing>
  static std::map<uint64_t, std::string> IdentitiesIn(const Listing& live) {
    std::map<uint64_t, std::string> identities;
    for (const LiveSst& sst : live.files) {
      identities[sst.number] = sst.identity;
    }
    return identities;
  }
};

// A listing of the open database and one from its files must agree, because the
// listener and the command work on the same folder.
TEST_F(DatabaseListingTest, BothListingsAgree) {
  AddFiles(2);
  IngestFile();
  db_.Compact();
  AddFiles(2);
  IngestFile();
  const LiveSsts open = LiveSstsOf(db_.get());
  EXPECT_EQ(open.files.size(), 4u);
  const DatabaseListing listed = List();
  EXPECT_EQ(listed.database, open.database);
  EXPECT_EQ(IdentitiesIn(listed), IdentitiesIn(open));
}

TEST_F(DatabaseListingTest, ACopyIsAnotherDatabase) {
  AddFiles(1);
  db_.Close();
  const TempDir copies;
  fs::copy(db_.path(), copies / "copy");
  DatabaseListing copy;
  ASSERT_TRUE(ListDatabase(copies / "copy", {}, "", &copy, &error_)) << error_;
  EXPECT_NE(copy.database, List().database);
}

TEST_F(DatabaseListingTest, SeveralPathsAndLevels) {
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
  const DatabaseListing without = List();
  ASSERT_EQ(without.files.size(), 1u);
  EXPECT_EQ(without.files[0].level, 8);
  EXPECT_FALSE(fs::exists(without.files[0].path));
  const DatabaseListing with = List({second.path()});
  EXPECT_TRUE(fs::exists(with.files[0].path));
  EXPECT_EQ(with.files[0].identity, without.files[0].identity);
  DatabaseListing live;
  EXPECT_FALSE(ListDatabase(db_.path(), {second / "none"}, "", &live, &error_));
  EXPECT_THAT(error_, HasSubstr("/none: is not a folder"));
}

TEST_F(DatabaseListingTest, AFileOfAnotherSize) {
  AddFiles(1);
  db_.Close();
  fs::resize_file(List().files[0].path, 100);
  EXPECT_THAT(List().files[0].error, HasSubstr("has 100 bytes, but the"));
}

TEST(DatabaseListingNamesTest, OfSstFiles) {
  EXPECT_EQ(NumberOfSst("/a/b/000123.sst"), 123u);
  EXPECT_EQ(NumberOfSst("7.sst"), 7u);
  for (const char* const other :
       {"", "(nil)", "7.ldb", "x7.sst", "7.sst.bak"}) {
    EXPECT_EQ(NumberOfSst(other), std::nullopt) << other;
  }
}

// An OPTIONS file may name a listener of this library. It is not made, and its
// folder need not be there.
TEST_F(DatabaseListingTest, ADatabaseWithAListener) {
  Listen();
  AddFiles(1);
  WriteListeners(db_, "{cassandra_bloom_export(nb,/no/such/folder)}");
  EXPECT_EQ(List().files.size(), 1u);
}

TEST_F(DatabaseListingTest, TheEnvOnlyReads) {
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
