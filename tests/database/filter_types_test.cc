// SPDX-License-Identifier: Apache-2.0

// Tests which filter each file gets, and how large it is: what RocksDB says of
// a file's place is what our policy expects.
// tests/policy/rocksdbs_policies_test.cc has all places of a file, without a
// database.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/releases.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// Returns enough rows for a Ribbon filter, because RocksDB builds no Ribbon
// filter for few keys.
Rows SomeRows() { return NumberedRows(100000, 104000); }

// Returns a policy by its string without the name.
PolicyPtr Policy(const std::string& text) {
  return PolicyFrom("cassandra_bloom:" + text);
}

using FilterTypes = std::map<std::string, int>;

// Counts the different filters that RocksDB reads when it opens the database.
// It may read the same one twice.
FilterTypes TypesIn(const TestDb& db) {
  const auto capturing =
      std::make_shared<CapturingPolicy>(OurPolicyBesideRocksdb());
  OpenedDb opened{};
  Require(
      rocksdb::DB::OpenForReadOnly(DbOptions(capturing), db.path(), &opened));
  const std::unique_ptr<rocksdb::DB> reader = Own(std::move(opened));
  const auto blocks = capturing->blocks();
  FilterTypes types;
  for (const std::string& block : std::set(blocks.begin(), blocks.end())) {
    ++types[TypeOf(block)];
  }
  return types;
}

void ExpectAllFound(const TestDb& db) {
  EXPECT_TRUE(GetsMatch(db.source(), {SomeRows(), {}}));
}

// Returns how many of 1000 absent keys the filters reject.
uint64_t Rejected(TestDb* db) {
  Dataset dataset;
  for (uint32_t i = 100000; i < 101000; ++i) {
    dataset.absent.push_back(NumberedKey(i) + "x");
  }
  db->ResetStatistics();
  EXPECT_TRUE(GetsMatch(db->source(), dataset));
  return db->ReadsFiltered();
}

double BitsPerKey(const rocksdb::TableProperties& table) {
  return 8 * static_cast<double>(table.filter_size) /
         static_cast<double>(table.num_filter_entries);
}

// Each level must have at most one file.
std::map<int, double> BitsByLevel(const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  std::map<int, double> bits;
  for (const auto& file : files) {
    EXPECT_EQ(bits.count(file.level), 0u);
    bits[file.level] = BitsPerKey(*tables.at(file.db_path + file.name));
  }
  return bits;
}

void ExpectFilters(TestDb* db, const FilterTypes& types) {
  EXPECT_EQ(TypesIn(*db), types);
  ExpectAllFound(*db);
  EXPECT_GT(Rejected(db), 950u);
}

// A Ribbon filter takes 0.65 to 0.73 of the bits that it is made for.
void ExpectBits(double bits_per_key, const std::string& type, double bits) {
  const double factor = type == "ribbon" ? 0.69 : 1;
  EXPECT_NEAR(bits_per_key, factor * bits, 0.06 * factor * bits);
}

constexpr rocksdb::CompactionStyle kLeveled = rocksdb::kCompactionStyleLevel;
constexpr rocksdb::CompactionStyle kUniversal =
    rocksdb::kCompactionStyleUniversal;

TEST(FilterTypesTest, InFlushesCompactionsAndAtTheBottom) {
  // The type of the filter in each place, and the bits per key.
  const struct {
    rocksdb::CompactionStyle style;
    bool has_dynamic_levels;
    const char* text;
    const char* in_flush;
    double bits_in_flush;
    const char* in_compaction;
    double bits_in_compaction;
    const char* at_the_bottom;
    double bits_at_the_bottom;
  } cases[] = {
      {kLeveled, true, "10:bottommost_filter:ribbon:blocks:rocksdb",
       "cassandra", 10, "cassandra", 10, "ribbon", 10},
      // RocksDB's Ribbon policy writes Bloom filters into flushed files.
      {kLeveled, true,
       "10:filter:ribbon:bottommost_filter:cassandra:blocks:rocksdb", "bloom",
       10, "ribbon", 10, "cassandra", 10},
      {kLeveled, false,
       "level_bits:16,14,14,14,14,12:bottommost_bits:6:filter:bloom:blocks:"
       "rocksdb",
       "bloom", 16, "bloom", 12, "bloom", 6},
      {kLeveled, true, "mix:10", "bloom", 17, "bloom", 17, "ribbon", 9.4},
      {kLeveled, false, "mix:6", "bloom", 13, "bloom", 13, "ribbon", 5.4},
      {kUniversal, true, "mix:10", "bloom", 17, "ribbon", 17, "ribbon", 9.4},
      {kUniversal, true, "mix:10:filter:cassandra:bottommost_filter:bloom",
       "cassandra", 17, "cassandra", 17, "bloom", 9.4},
  };
  for (const auto& expected : cases) {
    const PolicyPtr policy = Policy(expected.text);
    SCOPED_TRACE(policy->GetId() + ", compaction style " +
                 std::to_string(expected.style));
    rocksdb::Options options = DbOptions(policy);
    options.compaction_style = expected.style;
    options.level_compaction_dynamic_level_bytes = expected.has_dynamic_levels;
    TestDb db(options, SomeRows());
    ExpectFilters(&db, {{expected.in_flush, 1}});
    Require(CompactFilesTo(6, db.get()));
    EXPECT_EQ(TypesIn(db), (FilterTypes{{expected.at_the_bottom, 1}}));
    // Fewer rows, because TypesIn counts equal filters once.
    db.Fill(NumberedRows(100000, 103000));
    Require(CompactFilesTo(5, db.get(), /*of_level_0=*/true));
    db.Fill(SomeRows());
    const std::map<int, double> bits = BitsByLevel(db);
    ASSERT_EQ(bits.size(), 3u);
    FilterTypes types;
    for (const auto& [level, type, bits_per_key] :
         {std::tuple(0, expected.in_flush, expected.bits_in_flush),
          {5, expected.in_compaction, expected.bits_in_compaction},
          {6, expected.at_the_bottom, expected.bits_at_the_bottom}}) {
      ++types[type];
      ExpectBits(bits.at(level), type, bits_per_key);
    }
    ExpectFilters(&db, types);
  }
}

// In FIFO compaction nothing rewrites a flushed file. Without compaction,
// nobody knows what is bottommost.
TEST(FilterTypesTest, MixWhereRocksdbDoesNotCompact) {
  for (const auto& [style, type, bits] :
       {std::tuple(rocksdb::kCompactionStyleFIFO, "ribbon", 9.4),
        {rocksdb::kCompactionStyleNone, "bloom", 17.0}}) {
    SCOPED_TRACE(type);
    rocksdb::Options options = DbOptions(Policy("mix:10"));
    options.compaction_style = style;
    TestDb db(options, SomeRows());
    ExpectFilters(&db, {{type, 1}});
    ExpectBits(BitsPerKey(*db.OnlyTable()), type, bits);
  }
}

// ---- Files of no known level ----

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

// RocksDB does not know the level of ingested and repaired files.
// Only `mix` takes them for bottommost files.
TEST(FilterTypesTest, FilesOfUnknownPlaceGetFilterAndNotBottommostFilter) {
  for (void (*const write)(TestDb*) : {Ingest, WriteAndRepair}) {
    SCOPED_TRACE(write == Ingest ? "SstFileWriter" : "RepairDB");
    for (const auto& [text, type, bits] :
         {std::tuple("10:bottommost_filter:ribbon:blocks:rocksdb", "cassandra",
                     10.0),
          {"10:filter:ribbon:bottommost_filter:cassandra:blocks:rocksdb",
           "ribbon", 10.0},
          {"level_bits:16,12:filter:bloom:bottommost_filter:cassandra:blocks:"
           "rocksdb",
           "bloom", 12.0},
          {"mix:10", "ribbon", 9.4}}) {
      SCOPED_TRACE(text);
      TestDb db(DbOptions(Policy(text)));
      write(&db);
      ExpectFilters(&db, {{type, 1}});
      ExpectBits(BitsPerKey(*db.OnlyTable()), type, bits);
    }
  }
}

// ---- Without this library ----

// Going back loses nothing: RocksDB's own policy uses the filters of `mix`.
TEST(FilterTypesTest, RocksdbsPolicyRejectsAsManyKeysOfMix) {
  for (const Layout layout : AllLayouts()) {
    SCOPED_TRACE(ToString(layout));
    TestDb db(DbOptions(Policy("mix:10"), layout), SomeRows());
    db.Compact();
    db.Fill(SomeRows());
    const uint64_t with_library = Rejected(&db);
    EXPECT_GT(with_library, 950u);
    db.Reopen(DbOptions(BuiltinPolicy(), layout));
    EXPECT_EQ(Rejected(&db), with_library);
    ExpectAllFound(db);
  }
}

// The keys of the first partitions have no prefix. Our own builders must build
// these filters, because RocksDB's builders would make empty blocks for such
// partitions. MultiGet would then lose the keys of these partitions.
TEST(FilterTypesTest, PartitionedFiltersOfPrefixesAloneAreOurs) {
  Rows rows;
  for (int i = 1000; i < 5000; ++i) {
    rows["a" + std::to_string(i)] = "value";
    rows["with a prefix" + std::to_string(i)] = "value";
  }
  std::vector<rocksdb::Slice> keys;
  for (const auto& [key, value] : rows) {
    keys.emplace_back(key);
  }
  for (const PolicyPtr& policy :
       {Policy("10:filter:bloom:bottommost_filter:ribbon:blocks:rocksdb"),
        Policy("mix:10")}) {
    const auto capturing = std::make_shared<CapturingPolicy>(policy);
    rocksdb::BlockBasedTableOptions table =
        TableOptions(capturing, Layout::kPartitioned);
    table.whole_key_filtering = false;
    rocksdb::Options options = DbOptions(table);
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
    TestDb db(options, rows);
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

// ---- The LOG ----

// RocksDB starts a new LOG each time a database is opened.
TEST(FilterTypesTest, TheLogHasTheIdOncePerOpen) {
  const std::string line = " filter_policy=cassandra_bloom:level_bits:16,12\n";
  TestDb db(DbOptions(Policy("level_bits:16,12")));
  for (int opened = 0; opened < 2; ++opened) {
    for (int flush = 0; flush < 2; ++flush) {
      db.Fill(SomeRows());
    }
    const std::string log = ReadFile(db.path() + "/LOG");
    EXPECT_NE(log.find(line), std::string::npos) << log;
    EXPECT_EQ(log.find(line), log.rfind(line)) << log;
    db.Reopen();
  }
}

// ---- Filters that change in memory ----

// With the option detect_filter_construct_corruption, RocksDB fails a flush or
// a compaction if a filter changes in memory before it is written.
// tests/policy/bits_builder_test.cc has every bit of a filter of ours.

rocksdb::Options Detecting(PolicyPtr policy, Layout layout) {
  rocksdb::BlockBasedTableOptions table_options =
      TableOptions(std::move(policy), layout);
  table_options.detect_filter_construct_corruption = true;
  return DbOptions(table_options);
}

class ConstructCorruptionTest : public ::testing::TestWithParam<Layout> {};

// Slow, because RocksDB waits a second after a failure.
TEST_P(ConstructCorruptionTest, AClearedBitFailsTheFlushOrTheCompaction) {
  // RocksDB's builders, which our policy returns, must verify the filter, too.
  for (const auto& [policy, in_flush, message] :
       {std::tuple(OurPolicy(), true, "cassandra_bloom"),
        {OurPolicy(), false, "cassandra_bloom"},
        {Policy("10:bottommost_filter:bloom:blocks:rocksdb"), false, ""},
        {Policy("10:bottommost_filter:ribbon:blocks:rocksdb"), false, ""}}) {
    SCOPED_TRACE(policy->GetId() + (in_flush ? ", flush" : ", compaction"));
    // Clears one bit of every filter, as defective memory may do.
    std::atomic<int> num_cleared{0};
    const auto damaging = std::make_shared<ChangingPolicy>(
        policy, [&num_cleared](const rocksdb::Slice& block) {
          auto* const end = const_cast<char*>(block.data()) + block.size();
          auto* const bits = std::find_if(end - block.size() + 8, end,
                                          [](char byte) { return byte != 0; });
          if (bits != end) {
            *bits = static_cast<char>(*bits & (*bits - 1));
            ++num_cleared;
          }
          return block;
        });
    TestDb db(Detecting(policy, GetParam()));
    if (!in_flush) {
      db.Fill(SomeRows());
    }
    db.Reopen(Detecting(damaging, GetParam()));
    if (in_flush) {
      db.Put(SomeRows());
    }
    const rocksdb::Status status =
        in_flush ? db->Flush(rocksdb::FlushOptions()) : CompactAll(db.source());
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_NE(status.ToString().find(message), std::string::npos)
        << status.ToString();
    EXPECT_GT(num_cleared, 0);
    // No row may be lost. The rows are still in the write-ahead log, or in the
    // input of the compaction.
    db.Reopen(Detecting(policy, GetParam()));
    ExpectAllFound(db);
    EXPECT_EQ(CompactAll(db.source()).ToString(), "OK");
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConstructCorruptionTest,
                         ::testing::Values(Layout::kFull, Layout::kPartitioned),
                         [](const auto& test) { return ToString(test.param); });

}  // namespace
}  // namespace cassandra_bloom::testing
