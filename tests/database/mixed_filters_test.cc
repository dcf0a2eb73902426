// SPDX-License-Identifier: Apache-2.0

// Tests RocksDB's own filters in databases of our policy.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using rocksdb::CassandraBloomOptions;

constexpr double kExcess = 0.2;  // Tolerance in bits per key.

void Ingest(TestDb* db) {
  const TempDir dir;
  const std::string file = dir / "file.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db->options());
  Require(writer.Open(file));
  for (const auto& [key, value] : SomeRows()) {
    Require(writer.Put(key, value));
  }
  Require(writer.Finish());
  Require((*db)->IngestExternalFile({file}, {}));
}

// Puts rows that are then only in the write-ahead log. RepairDB writes these
// rows into a new file.
void WriteAndRepair(TestDb* db) {
  db->Put(SomeRows());
  db->Close();
  Require(rocksdb::RepairDB(db->path(), db->options()));
  db->Reopen();
}

struct UnknownPlace {
  CassandraBloomOptions options;
  const char* type;
  double bits_per_key;
};

std::vector<UnknownPlace> UnknownPlaces() {
  CassandraBloomOptions list = Types("bloom", "cassandra");
  list.level_bits = {16, 12};
  CassandraBloomOptions mix;
  mix.mix = 10;
  CassandraBloomOptions mix_with_bloom = mix;
  mix_with_bloom.bottommost_filter = "bloom";
  return {{Types("cassandra", "ribbon"), "cassandra", 10},
          {Types("bloom", "ribbon"), "bloom", 10},
          {Types("ribbon", "cassandra"), "ribbon", 7},
          {list, "bloom", 12},
          {mix, "ribbon", 6.7},
          {mix_with_bloom, "bloom", 9.4}};
}

// RocksDB does not know the level of ingested and repaired files.
// Only `mix` takes them for bottommost files.
TEST(MixedFiltersTest, FilesOfUnknownPlaceGetFilterAndNotBottommostFilter) {
  for (void (*const write)(TestDb*) : {Ingest, WriteAndRepair}) {
    SCOPED_TRACE(write == Ingest ? "SstFileWriter" : "RepairDB");
    for (const UnknownPlace& expected : UnknownPlaces()) {
      SCOPED_TRACE(expected.type);
      TestDb db(DbOptions(PolicyOf(expected.options)));
      write(&db);
      EXPECT_EQ(TypesIn(db), (FilterTypes{{expected.type, 1}}));
      EXPECT_NEAR(BitsPerKey(db), expected.bits_per_key, 0.3);
      ExpectAllFound(db);
      EXPECT_GT(Rejected(&db), 950u);
    }
  }
}

// Below format_version 5, RocksDB's own Bloom policy makes its old filter, of
// whole bits per key. Ours never does.
TEST(MixedFiltersTest, FormatVersionBelow5) {
  for (const uint32_t format_version : {2u, 4u}) {
    CassandraBloomOptions bloom = Types("bloom", "");
    bloom.bits_per_key = 9.5;
    for (const auto& [policy, flushed, bits, bottommost] :
         {std::tuple(bloom, "bloom", 9.5, "bloom"),
          {Types("ribbon", ""), "bloom", 10.0, "ribbon"},
          {Types("cassandra", "bloom"), "cassandra", 10.0, "bloom"}}) {
      SCOPED_TRACE(std::to_string(format_version) + " " + bottommost);
      rocksdb::BlockBasedTableOptions table_options =
          TableOptions(PolicyOf(policy));
      table_options.format_version = format_version;
      TestDb db(DbOptions(table_options));
      db.Put(SomeRows());
      db.Flush();
      EXPECT_EQ(TypesIn(db), (FilterTypes{{flushed, 1}}));
      EXPECT_NEAR(BitsPerKey(db), bits, kExcess);
      ExpectAllFound(db);
      EXPECT_GT(Rejected(&db), 950u);
      db.Compact();
      EXPECT_EQ(TypesIn(db), (FilterTypes{{bottommost, 1}}));
      ExpectAllFound(db);
      EXPECT_GT(Rejected(&db), 950u);
    }
  }
}

// Unlike BitsPerKey, returns 0 for a file without a filter.
double BitsPerRow(const TestDb& db) {
  return 8 * static_cast<double>(db.OnlyTable()->filter_size) /
         static_cast<double>(SomeRows().size());
}

// fp_chance and 0 bits per key also apply to RocksDB's filters.
TEST(MixedFiltersTest, SizesOfRocksdbsFilters) {
  CassandraBloomOptions chance = Types("bloom", "");
  chance.fp_chance = 0.001;
  CassandraBloomOptions none = Types("bloom", "ribbon");
  none.bits_per_key = 0;
  none.bottommost_bits = 0;
  CassandraBloomOptions none_at_the_bottom = Types("cassandra", "ribbon");
  none_at_the_bottom.bottommost_bits = 0;
  for (const auto& [options, flushed, bottommost] :
       {std::tuple(chance, 15.0, 15.0),
        {none, 0.0, 0.0},
        {none_at_the_bottom, 10.0, 0.0}}) {
    const PolicyPtr policy = PolicyOf(options);
    SCOPED_TRACE(policy->GetId());
    TestDb db(DbOptions(policy));
    db.Put(SomeRows());
    db.Flush();
    EXPECT_NEAR(BitsPerRow(db), flushed, kExcess);
    ExpectAllFound(db);
    db.Compact();
    EXPECT_NEAR(BitsPerRow(db), bottommost, kExcess);
    ExpectAllFound(db);
  }
}

// The keys of the first partitions have no prefix. Our own builders must build
// these filters, because RocksDB's builders would make empty blocks for such
// partitions. MultiGet would then lose the keys of these partitions.
TEST(MixedFiltersTest, PartitionedFiltersOfPrefixesAloneAreOurs) {
  Rows rows;
  for (int i = 1000; i < 5000; ++i) {
    rows["a" + std::to_string(i)] = "value";
    rows["with a prefix" + std::to_string(i)] = "value";
  }
  std::vector<rocksdb::Slice> keys;
  for (const auto& [key, value] : rows) {
    keys.emplace_back(key);
  }
  for (const PolicyPtr& policy : {PolicyOf(Types("bloom", "ribbon")), Mix()}) {
    const auto capturing = std::make_shared<CapturingPolicy>(policy);
    rocksdb::BlockBasedTableOptions table =
        TableOptions(capturing, Layout::kPartitioned);
    table.whole_key_filtering = false;
    rocksdb::Options options = DbOptions(table);
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
    TestDb db(options);
    db.Put(rows);
    db.Flush();
    size_t read_before = 0;
    for (int compacted = 0; compacted < 2; ++compacted) {
      SCOPED_TRACE(compacted);
      std::vector<std::string> values;
      for (const rocksdb::Status& status : db->MultiGet({}, keys, &values)) {
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
      const std::vector<std::string> blocks = capturing->blocks();
      EXPECT_GT(blocks.size(), read_before + 2);
      read_before = blocks.size();
      for (const std::string& block : blocks) {
        EXPECT_EQ(TypeOf(block), "cassandra");
      }
      db.Compact();
    }
  }
}

// ---- detect_filter_construct_corruption ----

class DetectingMixedTest
    : public ::testing::TestWithParam<std::tuple<Layout, const char*>> {};

rocksdb::Options Detecting(PolicyPtr policy, Layout layout) {
  rocksdb::BlockBasedTableOptions table_options =
      TableOptions(std::move(policy), layout);
  table_options.detect_filter_construct_corruption = true;
  return DbOptions(table_options);
}

// RocksDB's builders, which our policy returns, must still verify the filter.
TEST_P(DetectingMixedTest, AChangedBitFailsTheCompaction) {
  const auto& [layout, type] = GetParam();
  const PolicyPtr policy = PolicyOf(Types("cassandra", type));
  TestDb db(Detecting(policy, layout));
  db.Put(SomeRows());
  db.Flush();
  const auto damaging = std::make_shared<DamagingPolicy>(policy);
  db.Reopen(Detecting(damaging, layout));
  const rocksdb::Status status = CompactAll(db.source());
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_GT(damaging->num_cleared(), 0);
  db.Reopen(Detecting(policy, layout));
  ExpectAllFound(db);
  EXPECT_EQ(CompactAll(db.source()).ToString(), "OK");
  ExpectAllFound(db);
}

INSTANTIATE_TEST_SUITE_P(
    All, DetectingMixedTest,
    ::testing::Combine(::testing::Values(Layout::kFull, Layout::kPartitioned),
                       ::testing::Values("bloom", "ribbon")),
    [](const auto& test) {
      return ToString(std::get<Layout>(test.param)) + "_" +
             std::get<const char*>(test.param);
    });

}  // namespace
}  // namespace cassandra_bloom::testing
