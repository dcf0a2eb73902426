// SPDX-License-Identifier: Apache-2.0

// Exports SST files with filter blocks of all formats.

#include <rocksdb/slice_transform.h>

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/filter/block_layout.h"
#include "plugin/policy/block_form.h"
#include "tests/export/export_fixture.h"
#include "tests/support/rocksdb/filter_kinds.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::UnorderedElementsAre;

FilterDbExportOptions From(ExportFrom from, bool prefixes = false) {
  FilterDbExportOptions options;
  options.from = from;
  options.prefixes = prefixes;
  return options;
}

// Returns three exports of an SST file: from its filter block, from its keys,
// and by default. If an export fails, the error message takes its place.
std::vector<std::string> AllExports(const std::string& sst, bool prefixes) {
  std::vector<std::string> exports;
  for (const ExportFrom from :
       {ExportFrom::kBlock, ExportFrom::kKeys, ExportFrom::kBlockOrKeys}) {
    try {
      exports.push_back(Exported(sst, From(from, prefixes)));
    } catch (const std::exception& error) {
      const std::string text = error.what();
      exports.push_back(text.substr(text.find(": ")));
    }
  }
  return exports;
}

TEST(BlockFormsTest, BothAreExportedAsTheSameFile) {
  const Rows rows = PrefixedDataset(1, 500, 6, 20).rows;
  for (const Layout layout : AllLayouts()) {
    for (const bool whole_keys : {false, true}) {
      for (const bool has_prefixes : {false, true}) {
        std::vector<std::vector<std::string>> exports;
        for (const PolicyPtr& policy : {OurPolicy(), PolicyBesideRocksdb()}) {
          auto table_options = TableOptions(policy, layout);
          table_options.whole_key_filtering = whole_keys;
          rocksdb::Options options = DbOptions(table_options);
          if (has_prefixes) {
            options.prefix_extractor.reset(
                rocksdb::NewFixedPrefixTransform(kPrefixSize));
          }
          TestDb db(options);
          db.Put(rows);
          db.Flush();
          for (const bool asked : {false, true}) {
            exports.push_back(AllExports(OnlySst(db), asked));
          }
        }
        SCOPED_TRACE(ToString(layout) + (whole_keys ? ", keys" : "") +
                     (has_prefixes ? ", prefixes" : ""));
        EXPECT_EQ(exports[0], exports[2]);
        EXPECT_EQ(exports[1], exports[3]) << "prefixes";
        if (!IsPartitioned(layout) && whole_keys && !has_prefixes) {
          EXPECT_EQ(exports[2],
                    std::vector<std::string>(3, Built(KeysOf(rows), "nb")));
        }
      }
    }
  }
}

TEST(BlockFormsTest, EachKindIsNamed) {
  const std::map<FilterKind, const char*> reasons = {
      {FilterKind::kNone, "there is no filter in the file"},
      {FilterKind::kRocksdbsBloom, "it has RocksDB's Bloom filter, not ours"},
      {FilterKind::kRocksdbsRibbon, "it has RocksDB's Ribbon filter, not ours"},
      {FilterKind::kRocksdbsOther,
       "it has a filter of RocksDB's own, not ours"},
  };
  const Rows rows = NumberedRows(0, 20000);
  for (const KindOfFilter& kind : KindsOfFilters()) {
    SCOPED_TRACE(kind.name);
    auto table_options = TableOptions(kind.policy);
    table_options.format_version = kind.format_version;
    TestDb db(DbOptions(table_options));
    db.Put(rows);
    db.Flush();
    const auto reason = reasons.find(kind.kind);
    // A filter of this library must be exported from its block, even if the SST
    // file names another policy.
    const std::string why_not = reason == reasons.end() ? "" : reason->second;
    ExportedFilterDb exported;
    EXPECT_EQ(Exported(OnlySst(db), {}, &exported), Built(KeysOf(rows), "nb"));
    EXPECT_EQ(exported.from_block, why_not.empty());
    EXPECT_EQ(exported.why_not_block, why_not);
    EXPECT_EQ(exported.num_keys, rows.size());
    if (!why_not.empty()) {
      EXPECT_THAT(ExportError(OnlySst(db), From(ExportFrom::kBlock)),
                  HasSubstr(": " + why_not + "; its keys can be hashed anew"));
    }
  }
}

// A program may wrap this library's policy in a policy of its own. RocksDB then
// records the name of the program's policy in the SST file.
TEST(BlockFormsTest, BesideRocksdbUnderAnotherName) {
  TestDb db(DbOptions(
      std::make_shared<NamedPolicy>("a program's", PolicyBesideRocksdb())));
  AddFile(&db, 0, 1000);
  const std::string built = Built(KeysOf(NumberedRows(0, 1000)), "nb");
  EXPECT_EQ(Exported(OnlySst(db), From(ExportFrom::kBlock)), built);
  FilterDbExportOptions parts = From(ExportFrom::kBlock);
  parts.partition_key = "fixed:8";
  EXPECT_THAT(ExportError(OnlySst(db), parts),
              HasSubstr("its filter holds whole keys"));
}

TEST(BlockFormsTest, ABlockThatIsNoFilterDb) {
  const std::string trailer(kTrailer, sizeof(kTrailer));
  const std::string match_all(kMatchAllFilterDb, sizeof(kMatchAllFilterDb));
  for (const std::string& block : {trailer, "x" + trailer}) {
    TestDb db(DbOptions(
        std::make_shared<ReplacingPolicy>(PolicyBesideRocksdb(), block)));
    AddFile(&db, 0, 1000);
    EXPECT_THAT(ExportError(OnlySst(db), From(ExportFrom::kBlock)),
                HasSubstr("its filter is empty or damaged"));
  }
  TestDb db(DbOptions(std::make_shared<ReplacingPolicy>(PolicyBesideRocksdb(),
                                                        match_all + trailer)));
  AddFile(&db, 0, 1000);
  TestDb ours(
      DbOptions(std::make_shared<ReplacingPolicy>(OurPolicy(), match_all)));
  AddFile(&ours, 0, 1000);
  EXPECT_EQ(AllExports(OnlySst(db), false), AllExports(OnlySst(ours), false));
}

// Builds filters of another format under the name of this library's policy.
class UnknownPolicy final : public NamedPolicy {
 public:
  UnknownPolicy() : NamedPolicy("cassandra_bloom", BuiltinPolicy()) {}
  const char* CompatibilityName() const override { return "unknown"; }
};

TEST(BlockFormsTest, AnUnknownFilterUnderOurName) {
  TestDb db(DbOptions(std::make_shared<UnknownPolicy>()));
  AddFile(&db, 0, 1000);
  ExportedFilterDb exported;
  EXPECT_EQ(Exported(OnlySst(db), {}, &exported),
            Built(KeysOf(NumberedRows(0, 1000)), "nb"));
  EXPECT_EQ(exported.why_not_block,
            "its filter is not of the policy 'cassandra_bloom', which the file "
            "names");
}

// ---- Exports of whole databases ----

class ExportBesideRocksdbTest : public ExportTest {
 protected:
  std::vector<std::string> Contents() const {
    std::vector<std::string> contents;
    for (const std::string& name : Filters()) {
      contents.push_back(ReadFile(out_ / name));
    }
    return contents;
  }

  void Use(const PolicyPtr& policy) {
    rocksdb::Options options = DbOptions(policy);
    options.listeners = db_.options().listeners;
    db_.Reopen(options);
  }

  static std::string BuiltOf(uint32_t first) {
    return Built(KeysOf(NumberedRows(first, first + 1000)), "nb");
  }

  // Adds one SST file of 1000 rows for each of four filter policies.
  void AddFileOfEachKind() {
    for (const PolicyPtr& policy : {OurPolicy(), BuiltinPolicy(),
                                    RibbonPolicy(), PolicyBesideRocksdb()}) {
      Use(policy);
      AddFiles(1);
    }
  }
};

TEST_F(ExportBesideRocksdbTest, SyncOfADatabaseOfAllKinds) {
  AddFileOfEachKind();
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(Filters(), Live());
  EXPECT_THAT(Contents(), UnorderedElementsAre(BuiltOf(0), BuiltOf(1000),
                                               BuiltOf(2000), BuiltOf(3000)));
  std::vector<bool> from_block;
  for (const ExportedFilterDb& exported : report_.exported) {
    from_block.push_back(exported.from_block);
  }
  EXPECT_THAT(from_block, UnorderedElementsAre(true, false, false, true));
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(report_.kept.size(), 4u);
  EXPECT_EQ(report_.exported.size(), 0u);
  ASSERT_TRUE(Reconcile()) << error_;
  EXPECT_EQ(report_.kept.size(), 4u);
}

TEST_F(ExportBesideRocksdbTest, OnlyBlocks) {
  AddFileOfEachKind();
  EXPECT_FALSE(Export(From(ExportFrom::kBlock)));
  EXPECT_THAT(error_, HasSubstr("2 SST files were not exported"));
  ASSERT_EQ(report_.errors.size(), 2u);
  EXPECT_THAT(report_.errors,
              UnorderedElementsAre(HasSubstr("RocksDB's Bloom filter"),
                                   HasSubstr("RocksDB's Ribbon filter")));
  EXPECT_THAT(Contents(), UnorderedElementsAre(BuiltOf(0), BuiltOf(3000)));
}

TEST_F(ExportBesideRocksdbTest, TheListenerFollows) {
  Listen();
  AddFileOfEachKind();
  ExpectFollowed();
  EXPECT_THAT(Contents(), UnorderedElementsAre(BuiltOf(0), BuiltOf(1000),
                                               BuiltOf(2000), BuiltOf(3000)));
  db_.Compact();
  ExpectFollowed();
  EXPECT_THAT(Contents(),
              UnorderedElementsAre(Built(KeysOf(NumberedRows(0, 4000)), "nb")));
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

}  // namespace
}  // namespace cassandra_bloom::testing
