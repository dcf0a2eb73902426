// SPDX-License-Identifier: Apache-2.0

#include "tools/export/export_sst.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/export/export_fixture.h"
#include "tests/support/broken_filters.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

constexpr bool kDeletionsAreSeen = CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902;

ExportOptions OptionsFor(const std::string& version = "nb",
                         bool from_keys = false) {
  ExportOptions options;
  options.sstable_version = version;
  options.from_keys = from_keys;
  return options;
}

std::set<std::string> KeysOf(const Rows& rows) {
  std::set<std::string> keys;
  for (const auto& row : rows) {
    keys.insert(row.first);
  }
  return keys;
}

// Returns the content of a Filter.db with these keys at 10 bits per key.
std::string Built(const std::set<std::string>& keys,
                  const std::string& sstable_version) {
  FilterForm form;
  std::string error;
  EXPECT_TRUE(FormOfSstableVersion(sstable_version, &form, &error)) << error;
  const auto builder =
      FilterDbBuilder::ForBitsPerKey(10, keys.size(), form, &error);
  for (const std::string& key : keys) {
    builder->Add(key);
  }
  const TempDir dir;
  EXPECT_TRUE(builder->Write(dir / "built", /*overwrite=*/false, &error))
      << error;
  return ReadFile(dir / "built");
}

// Returns the error of an export that must fail.
std::string ExportError(const std::string& sst, const ExportOptions& options) {
  try {
    Exported(sst, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  ADD_FAILURE() << sst << " was exported";
  return "";
}

// ---- Partition keys ----

// Rows, and the partition keys that they have.
struct Partitions {
  explicit Partitions(const PartitionLayout& layout) {
    for (uint64_t partition = 0; partition < 1000; ++partition) {
      for (uint64_t row = 0; row < 5; ++row) {
        rows[StorageKey(layout, partition, row)] = "value";
        keys.insert(PartitionKey(layout, partition, row));
      }
    }
  }
  Rows rows = {{"short", "taken whole"}};
  std::set<std::string> keys = {"short"};
};

TEST(ExportSstTest, PartitionKeysFromTheBlockAndFromKeysAreAsBuilt) {
  for (const PartitionLayout& layout : kPartitionLayouts) {
    const Partitions partitions(layout);
    for (const bool with_prefixes : {false, true}) {
      if (with_prefixes && !HasEnd(layout)) {
        continue;
      }
      SCOPED_TRACE(std::string(layout.name) +
                   (with_prefixes ? ", prefixes beside keys" : ""));
      rocksdb::Options db_options = DbOptions(PolicyFor(layout.partition_key));
      if (with_prefixes) {
        Require(rocksdb::NewCassandraPartitionTransform(
            layout.partition_key, &db_options.prefix_extractor));
      }
      const TestDb db(db_options, partitions.rows);
      for (const bool from_keys : {false, true}) {
        ExportedFilterDb exported;
        EXPECT_EQ(Exported(OnlySst(db), OptionsFor("nb", from_keys), &exported),
                  Built(partitions.keys, "nb"));
        EXPECT_EQ(exported.partition_key, layout.partition_key);
        EXPECT_EQ(exported.num_keys, partitions.keys.size());
      }
      EXPECT_EQ(Exported(OnlySst(db), OptionsFor("ka")),
                Built(partitions.keys, "ka"));
    }
  }
}

// The filter block does not hold the requested partition keys.
TEST(ExportSstTest, OtherPartitionKeysThanTheFilterHas) {
  const Partitions partitions(kPartitionLayouts[0]);
  const std::string built = Built(partitions.keys, "nb");
  const std::pair<PolicyPtr, Layout> others[] = {
      {OurPolicy(), Layout::kFull},
      {PolicyFor("skip:8"), Layout::kFull},
      {BuiltinPolicy(), Layout::kFull},
      {nullptr, Layout::kFull},
      {PolicyFor("skip:8,u16"), Layout::kPartitioned}};
  for (const auto& [policy, filter_layout] : others) {
    SCOPED_TRACE(policy == nullptr ? "none" : policy->Name());
    const TestDb db(DbOptions(policy, filter_layout), partitions.rows);
    const auto options = With(&ExportOptions::partition_key, "skip:0008,u16");
    ExportedFilterDb exported;
    EXPECT_EQ(Exported(OnlySst(db), options, &exported), built);
    EXPECT_FALSE(exported.from_block);
    EXPECT_NE(exported.why_not_block, "");
    EXPECT_EQ(exported.partition_key, "skip:8,u16");
  }
  // The filter block has only partition keys, but whole keys are requested. So
  // the export must read the keys in the SST file.
  const TestDb db(DbOptions(PolicyFor("skip:8,u16")), partitions.rows);
  EXPECT_EQ(Exported(OnlySst(db), With(&ExportOptions::partition_key, "whole")),
            Built(KeysOf(partitions.rows), "nb"));
}

// A filter of prefixes lacks the key "short", which has no prefix.
TEST(ExportSstTest, FilterOfPrefixesThatEndWithPartitionKeysLacksOtherKeys) {
  auto table_options = TableOptions(PolicyFor("fixed:8"));
  table_options.whole_key_filtering = false;
  rocksdb::Options db_options = DbOptions(table_options);
  Require(rocksdb::NewCassandraPartitionTransform(
      "fixed:8", &db_options.prefix_extractor));
  const TestDb db(db_options, {{"partition row", "value"}, {"short", "value"}});
  ExportedFilterDb exported;
  EXPECT_EQ(Exported(OnlySst(db), OptionsFor(), &exported),
            Built({"partitio", "short"}, "nb"));
  EXPECT_FALSE(exported.from_block);
}

TEST(ExportSstTest, FromTheBlockAndFromKeysAreAsBuilt) {
  rocksdb::Options reverse = DbOptions(BuiltinPolicy());
  reverse.comparator = rocksdb::ReverseBytewiseComparator();
  struct Case {
    rocksdb::Options options;
    const char* why_not_block;  // Empty if the block can be exported.
  };
  for (Case c : {
           Case{DbOptions(OurPolicy()), ""},
           {DbOptions(OurPolicy(), Layout::kPartitioned),
            "its filter is partitioned"},
           {Mode{Layout::kFull, Filtered::kBoth}.OptionsWith(OurPolicy()),
            "whole keys alone"},
           {Mode{Layout::kFull, Filtered::kPrefixes}.OptionsWith(OurPolicy()),
            "its filter holds prefixes, not keys"},
           {DbOptions(BuiltinPolicy()), "a filter of RocksDB's own"},
           {DbOptions(BuiltinPolicy(), Layout::kPartitioned),
            "of the policy 'bloomfilter'"},
           {DbOptions(nullptr), "no filter"},
           {reverse, "a filter of RocksDB's own"},
       }) {
    SCOPED_TRACE(c.why_not_block);
    Require(rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), "stringappend", &c.options.merge_operator));
    TestDb db(c.options);
    Rows rows = PrefixedDataset(2, 300, 6, 20).rows;
    db.Put(rows);
    // Several versions of some rows. RocksDB keeps the old ones, because a
    // snapshot exists.
    const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
    int i = 0;
    for (const auto& row : rows) {
      if (++i % 3 == 0) {
        Require(db->Put(kWrite, row.first, "again"));
      }
      if (i % 5 == 0) {
        Require(db->Merge(kWrite, row.first, "merged"));
        Require(db->Merge(kWrite, row.first, "merged again"));
      }
    }
    Require(db->Merge(kWrite, "merged alone", "operand"));
    db.Flush();
    db->ReleaseSnapshot(snapshot);
    rows["merged alone"] = "";
    ASSERT_GT(db.OnlyTable()->num_entries, rows.size());
    const auto keys = KeysOf(rows);
    ExportedFilterDb exported;
    for (const std::string version : {"nb", "oa", "me", "ms", "ka"}) {
      for (const bool from_keys : {false, true}) {
        EXPECT_EQ(
            Exported(OnlySst(db), OptionsFor(version, from_keys), &exported),
            Built(keys, version));
        EXPECT_EQ(exported.num_keys, keys.size());
        const std::string why_not = from_keys         ? ""
                                    : version == "ka" ? "in the form before-ma"
                                                      : c.why_not_block;
        EXPECT_EQ(exported.from_block, !from_keys && why_not.empty());
        EXPECT_EQ(exported.why_not_block.empty(), why_not.empty());
        EXPECT_THAT(exported.why_not_block, HasSubstr(why_not));
      }
    }
  }
}

TEST(ExportSstTest, SizeOfFiltersFromKeys) {
  const TestDb db(DbOptions(OurPolicy()), NumberedDataset(1000, 0).rows);
  ExportOptions options = OptionsFor("nb", /*from_keys=*/true);
  options.bits_per_key = 16;
  ExportedFilterDb exported;
  Exported(OnlySst(db), options, &exported);
  EXPECT_EQ(exported.num_words, (16 * 1000 + 20 + 63) / 64);
  EXPECT_EQ(exported.num_probes, 11);
  // For 1 % false positives, Cassandra uses 10 bits per key and 5 probes.
  options.fp_chance = 0.01;
  Exported(OnlySst(db), options, &exported);
  EXPECT_EQ(exported.num_words, (10 * 1000 + 20 + 63) / 64);
  EXPECT_EQ(exported.num_probes, 5);
}

// ---- Deletions ----

// A block has them. Without one they are keys like others, or refused.
TEST(ExportSstTest, Deletions) {
  const Rows rows = NumberedDataset(5000, 0).rows;
  auto all = KeysOf(rows);
  all.insert({"was never there", "single", "single delete of nothing"});
  for (const bool is_ours : {true, false}) {
    TestDb db(DbOptions(is_ours ? OurPolicy() : BuiltinPolicy()));
    db.Put(rows);
    for (uint32_t i = 0; i < 5000; i += 50) {
      Require(db->Delete(kWrite, NumberedKey(i)));
    }
    Require(db->Delete(kWrite, "was never there"));
    Require(db->Put(kWrite, "single", ""));
    Require(db->SingleDelete(kWrite, "single delete of nothing"));
    db.Flush();
    if (is_ours || kDeletionsAreSeen) {
      EXPECT_EQ(Exported(OnlySst(db), OptionsFor()), Built(all, "nb"));
    } else {
      const std::string error = ExportError(OnlySst(db), OptionsFor());
      EXPECT_THAT(error, HasSubstr(OnlySst(db)));
      EXPECT_THAT(error, HasSubstr("has 102 deletions"));
      EXPECT_THAT(error, HasSubstr("come back to life"));
    }
  }
}

TEST(ExportSstTest, DeletedRangesHideNoKey) {
  TestDb db(DbOptions(BuiltinPolicy()));
  const Rows rows = NumberedDataset(1000, 0).rows;
  db.Put(rows);
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  Require(db->DeleteRange(kWrite, db->DefaultColumnFamily(), NumberedKey(100),
                          NumberedKey(200)));
  db.Flush();
  ASSERT_EQ(db.OnlyTable()->num_deletions, 1);
  ExportedFilterDb exported;
  EXPECT_EQ(Exported(OnlySst(db), OptionsFor(), &exported),
            Built(KeysOf(rows), "nb"));
  EXPECT_EQ(exported.num_range_deletions, 1);
  db->ReleaseSnapshot(snapshot);
}

// ---- Comparators ----

TEST(ExportSstTest, UnknownOrder) {
  const OwnComparator comparator;
  rocksdb::Options options = DbOptions(OurPolicy());
  options.comparator = &comparator;
  const Rows rows = NumberedDataset(3000, 0).rows;
  const TestDb db(options, rows);
  EXPECT_EQ(Exported(OnlySst(db), OptionsFor()), Built(KeysOf(rows), "nb"));
  EXPECT_THAT(ExportError(OnlySst(db), OptionsFor("nb", /*from_keys=*/true)),
              HasSubstr("comparator 'OwnComparator'"));
}

// ---- Errors ----

TEST(ExportSstTest, Refusals) {
  const TestDb db(DbOptions(OurPolicy()), NumberedDataset(1000, 0).rows);
  const std::string sst = OnlySst(db);
  const TempDir dir;
  const std::string content = ReadFile(sst);
  WriteFile(dir / "000001.sst", "");
  WriteFile(dir / "000002.sst",
            "no SST file at all, but of some length, so "
            "that there is a footer to look at");
  WriteFile(dir / "000003.sst", content.substr(0, content.size() / 2));
  std::string damaged = content;
  damaged[content.size() / 4] ^= 1;  // One bit of a data block.
  WriteFile(dir / "000004.sst", damaged);

  constexpr char kNoSst[] = "cannot be read as a block-based SST file";
  struct Refusal {
    std::string sst;
    ExportOptions options;
    const char* message;
  };
  const Refusal refusals[] = {
      {dir / "none.sst", OptionsFor(), "No such file"},
      {dir.path(), OptionsFor(), kNoSst},
      {dir / "000001.sst", OptionsFor(), kNoSst},
      {dir / "000002.sst", OptionsFor(), kNoSst},
      {dir / "000003.sst", OptionsFor(), kNoSst},
      {dir / "000004.sst", OptionsFor("nb", /*from_keys=*/true), "checksum"},
      {sst, OptionsFor("zz"), "SSTable version 'zz' is unknown"},
      {sst, OptionsFor("hd"), "older than ia"},
      {sst, OptionsFor("na-and-later"), "is a form"},
      {sst, OptionsFor(""), "no SSTable version"},
      {sst, With(&ExportOptions::bits_per_key, 0.5), "bits per key must be"},
      {sst, With(&ExportOptions::partition_key, "skip:8,u32"), "'skip:8,u32'"},
      {sst, With(&ExportOptions::fp_chance, 1), "false positive chance must"},
      {sst, With(&ExportOptions::fp_chance, -0.1),
       "false positive chance must"},
  };
  for (const Refusal& refusal : refusals) {
    EXPECT_THAT(ExportError(refusal.sst, refusal.options),
                HasSubstr(refusal.message))
        << refusal.sst;
  }
}

// ---- Blocks ----

// Builds filters of another format under the name of this library's policy.
class UnknownPolicy final : public NamedPolicy {
 public:
  UnknownPolicy() : NamedPolicy("cassandra_bloom", BuiltinPolicy()) {}
  const char* CompatibilityName() const override { return "unknown"; }
};

PolicyPtr Named(const char* name, PolicyPtr policy) {
  return std::make_shared<NamedPolicy>(name, std::move(policy));
}

// A filter of this library must be exported from its block, even if the SST
// file names another policy. RocksDB's own must not, even under our name, and
// neither must one of other partition keys, or one that is no good Filter.db.
TEST(ExportSstTest, WhoseTheBlockIsDecidesNotTheName) {
  constexpr char kOurs[] = "";
  constexpr char kRocksdbs[] =
      "it has a filter of RocksDB's own, which is no Filter.db";
  constexpr char kDamaged[] = "its filter is empty or damaged";
  const std::string trailer(kTrailer, sizeof(kTrailer));
  const std::string match_all = MatchAllFilterDb();
  std::string of_21_probes = match_all;
  of_21_probes[3] = 21;
  of_21_probes[8] = 0;
  const PolicyPtr ours = OurPolicy();
  const PolicyPtr beside = OurPolicyBesideRocksdb();
  const PolicyPtr ribbon = BuiltinRibbonPolicy(/*bloom_before_level=*/-1);
  const PolicyPtr zeros = ReplacingPolicy(BuiltinPolicy(), std::string(6, 0));
  const PolicyPtr mixed_up = Named("cassandra_bloom.fixed:8", ours);
  constexpr char kOther[] = "its filter is of the policy 'cassandra_bloom.f";
  constexpr char kNotNamed[] =
      "its filter is partitioned, damaged, or not of the policy 'cassandra_";
  const struct {
    PolicyPtr policy;
    const char* why_not;
    const char* partition_key = "";
    uint32_t format_version = 5;  // Before 5, RocksDB builds legacy filters.
  } kinds[] = {
      {ours, kOurs},
      {Named("cassandra_bloom", ours), kOurs},
      {beside, kOurs},
      {Named("cassandra_bloom", beside), kOurs},
      {Named("a program's", beside), kOurs},
      {BuiltinPolicy(), kRocksdbs},
      {Named("cassandra_bloom", BuiltinPolicy()), kRocksdbs},
      {ribbon, kRocksdbs},
      {Named("cassandra_bloom", ribbon), kRocksdbs},
      {BuiltinPolicy(), kRocksdbs, "", 4},
      {zeros, kRocksdbs},
      {std::make_shared<UnknownPolicy>(), kNotNamed},
      {mixed_up, kOther},
      {mixed_up, kOther, "fixed:8"},
      {mixed_up, kOther, "whole"},
      {beside, "its filter holds whole keys", "fixed:8"},
      {ReplacingPolicy(beside, trailer), kDamaged},
      {ReplacingPolicy(beside, "x" + trailer), kDamaged},
      {ReplacingPolicy(beside, of_21_probes + trailer), kDamaged},
      {ReplacingPolicy(beside, match_all + trailer),
       "every key matches its filter, as if there was no memory to build it; a "
       "compaction builds it anew"},
  };
  const Rows rows = NumberedRows(0, 1000);
  for (const auto& kind : kinds) {
    SCOPED_TRACE(std::to_string(&kind - kinds));
    auto table_options = TableOptions(kind.policy);
    table_options.format_version = kind.format_version;
    const TestDb db(DbOptions(table_options), rows);
    ExportedFilterDb exported;
    const std::string content = Exported(
        OnlySst(db), With(&ExportOptions::partition_key, kind.partition_key),
        &exported);
    EXPECT_EQ(exported.from_block, *kind.why_not == 0);
    EXPECT_THAT(exported.why_not_block, ::testing::StartsWith(kind.why_not));
    if (exported.partition_key == "whole") {
      EXPECT_EQ(content, Built(KeysOf(rows), "nb"));
    }
  }
}

// RocksDB itself reports no error if a full filter is damaged.
TEST(ExportSstTest, ADamagedFilterIsNotExported) {
  const Rows rows = NumberedRows(0, 20000);
  for (const PolicyPtr& policy : {OurPolicy(), OurPolicyBesideRocksdb()}) {
    for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
      const TestDb db(DbOptions(policy, layout), rows);
      std::string content = ReadFile(OnlySst(db));
      content[db.OnlyTable()->data_size + 100] ^=
          1;  // Filters follow the rows.
      const TempDir dir;
      WriteFile(dir / "1.sst", content);
      ExportedFilterDb exported;
      EXPECT_EQ(Exported(dir / "1.sst", {}, &exported),
                Built(KeysOf(rows), "nb"));
      EXPECT_EQ(exported.why_not_block,
                "its filter is partitioned, damaged, or not of the policy "
                "'cassandra_bloom', which the file names");
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
