// SPDX-License-Identifier: Apache-2.0

// A folder must not mix filters of different contents, such as keys and
// prefixes.

#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/export/export_fixture.h"
#include "tests/support/file_size_limit.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

rocksdb::Options WithPrefixes(size_t size) {
  rocksdb::Options options = DbOptions(PolicyFor("fixed:8"));
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(size));
  return options;
}

class FolderContentsTest : public ExportTest {
 protected:
  FolderContentsTest() : ExportTest(WithPrefixes(7)) {
    AddFiles(2);
    prefixes_.prefixes = true;
  }

  // Expects the same filters as from a new export with these options.
  void ExpectHolds(const FilterDbExportOptions& options) {
    const TempDir alone;
    FilterDbExportReport report;
    ASSERT_TRUE(ExportFilterDbs(db_.path(), "", alone.path(), /*sync=*/false,
                                options, &report, &error_))
        << error_;
    EXPECT_EQ(Filters(), NamesIn(alone.path()));
    for (const std::string& name : NamesIn(alone.path())) {
      EXPECT_EQ(ReadFile(out_ / name), ReadFile(alone / name)) << name;
    }
  }

  const FilterDbExportOptions usual_;
  FilterDbExportOptions prefixes_;
  FilterDbExportOptions whole_ = ForPartitionKey("whole", ExportFrom::kKeys);
};

TEST_F(FolderContentsTest, OtherEntriesAreRefused) {
  FilterDbExportOptions live;
  live.live_keys_only = true;
  ASSERT_TRUE(Sync(usual_)) << error_;
  const auto before = StateOf(out_.path());
  struct Other {
    FilterDbExportOptions options;
    const char* asked;
  };
  for (const Other& other :
       {Other{whole_, "partition_key=whole from=keys"},
        Other{prefixes_, "partition_key=default prefixes"},
        Other{ForPartitionKey("fixed:7", ExportFrom::kBlockOrKeys),
              "partition_key=fixed:7"},
        Other{live, "partition_key=default live_keys_only"},
        Other{ForPartitionKey("", ExportFrom::kKeys),
              "partition_key=default from=keys"}}) {
    EXPECT_FALSE(Sync(other.options)) << other.asked;
    EXPECT_THAT(error_,
                HasSubstr(out_.path() + ": holds filters made with "
                                        "partition_key=default, which cannot"));
    EXPECT_THAT(error_, HasSubstr("among those with " +
                                  std::string(other.asked) + ", as"));
    EXPECT_THAT(error_, HasSubstr("--force"));
    EXPECT_EQ(StateOf(out_.path()), before);
  }
  ASSERT_TRUE(Sync(usual_)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
}

TEST_F(FolderContentsTest, AllAreMadeAnewIfThatIsAsked) {
  ASSERT_TRUE(Sync(usual_)) << error_;
  ASSERT_TRUE(TakeOver(whole_)) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
  ExpectHolds(whole_);
  ASSERT_TRUE(Sync(whole_)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
  EXPECT_FALSE(Sync(usual_));
}

// Another size, or another spelling of the partition key, does not change which
// keys a filter holds. So the filters must be kept.
TEST_F(FolderContentsTest, AnotherSizeIsKept) {
  FilterDbExportOptions keys =
      ForPartitionKey("skip:0,fixed:8", ExportFrom::kKeys);
  ASSERT_TRUE(Sync(keys)) << error_;
  keys.partition_key = "fixed:8";
  keys.bits_per_key = 20;
  ASSERT_TRUE(Sync(keys)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
}

// Earlier versions of this library recorded only the name of the database in
// the folder. In such a folder, an export must make all filters again.
TEST_F(FolderContentsTest, AMarkWithoutContents) {
  ASSERT_TRUE(Sync(whole_)) << error_;
  const std::string mark = ReadFile(out_ / kMark);
  WriteFile(out_ / kMark, mark.substr(0, mark.find('\n')));
  ASSERT_TRUE(Sync(usual_)) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
  ExpectHolds(usual_);
  ASSERT_TRUE(Sync(usual_)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
}

TEST_F(FolderContentsTest, TheMarkSaysIt) {
  ASSERT_TRUE(Sync(usual_)) << error_;
  whole_.sstable_version = "me";
  ASSERT_TRUE(Sync(whole_)) << error_;
  std::string identity;
  Require(db_->GetDbIdentity(identity));
  const std::string mark = ReadFile(out_ / kMark);
  const std::string contents = identity + " in " +
                               fs::canonical(db_.path()).string() +
                               "\nme\tpartition_key=whole from=keys\t"
                               "\nnb\tpartition_key=default\t\n";
  EXPECT_EQ(mark.substr(0, contents.size()), contents);
  // After these three lines, .cassandra_bloom_database has one line for each
  // filter.
  const auto names = Filters();
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(std::count(mark.begin(), mark.end(), '\n'), 3 + 4);
  for (const std::string& name : names) {
    EXPECT_THAT(mark, HasSubstr("\n" + name + "\t"));
  }
  // The filters of both SSTable versions must be kept.
  ASSERT_TRUE(Sync(usual_)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
  ASSERT_TRUE(Sync(whole_)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
}

// The prefix extractor of the database changes, but the options do not.
TEST_F(FolderContentsTest, AnotherPrefixExtractor) {
  ASSERT_TRUE(Sync(prefixes_)) << error_;
  ASSERT_TRUE(Sync(prefixes_)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
  db_.Reopen(WithPrefixes(9));
  ASSERT_TRUE(Sync(prefixes_)) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
  ExpectHolds(prefixes_);
}

// The second export is of another column family. So it removes all filters of
// the first export, and their different contents are no error.
TEST_F(FolderContentsTest, WhatGoesAnywayIsInNobodysWay) {
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", db_.options(), {{"key000001", "value"}});
  ASSERT_TRUE(Sync(usual_, "default")) << error_;
  ASSERT_TRUE(Sync(whole_, "other")) << error_;
  EXPECT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(report_.removed.size(), 2);
  Require(db_->DestroyColumnFamilyHandle(other));
}

// An export stops after it has recorded the new contents of the folder. The
// next export must leave no old filter.
TEST_F(FolderContentsTest, StoppedWhileAllAreMadeAnew) {
  ASSERT_TRUE(Sync(usual_)) << error_;
  FilterDbExportOptions stopped = whole_;
  stopped.progress = [](uint64_t, uint64_t) {
    throw std::runtime_error("stopped");
  };
  EXPECT_THROW(TakeOver(stopped), std::runtime_error);
  ASSERT_TRUE(Sync(whole_)) << error_;
  ExpectHolds(whole_);
}

// An export stops before it has recorded the new contents of the folder.
TEST_F(FolderContentsTest, StoppedBeforeTheMark) {
  ASSERT_TRUE(Sync(usual_)) << error_;
  {
    const FileSizeLimit full(0);
    EXPECT_FALSE(TakeOver(whole_));
  }
  ASSERT_TRUE(Sync(usual_)) << error_;
  ExpectHolds(usual_);
}

// A stopped export must have removed all old filters, even one whose SST file
// is not live.
TEST_F(FolderContentsTest, StoppedWithAFilterOfAnotherSstFile) {
  ASSERT_TRUE(Sync(usual_)) << error_;
  const std::string other = out_ / FilterName(1000000);
  fs::rename(report_.exported.at(0).filter_db, other);
  {
    const FileSizeLimit full(0);
    EXPECT_FALSE(TakeOver(whole_));
  }
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(FolderContentsTest, NobodyElseWritesIntoAFolderThatFollows) {
  ASSERT_TRUE(Sync(usual_)) << error_;
  const ExportedFilterDb one = report_.exported.at(0);
  const auto before = StateOf(out_.path());
  FilterDbExportOptions options;
  options.overwrite = true;
  EXPECT_FALSE(Export(options));
  EXPECT_THAT(error_, HasSubstr("follows the database"));
  ExportedFilterDb exported;
  EXPECT_FALSE(
      ExportFilterDb(one.sst_file, one.filter_db, options, &exported, &error_));
  EXPECT_THAT(error_, HasSubstr("follows the database"));
  EXPECT_EQ(StateOf(out_.path()), before);
}

}  // namespace
}  // namespace cassandra_bloom::testing
