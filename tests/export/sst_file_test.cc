// SPDX-License-Identifier: Apache-2.0

// Tests how SstFile finds the kind of the filter in an SST file, and its keys.

#include "plugin/export/sst_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/filter_kinds.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

struct Visited {
  std::unique_ptr<SstFile> file;
  std::vector<std::string> blocks;
  std::vector<FilterKind> kinds;
};

Visited Visit(const std::string& sst) {
  Visited visited;
  std::string error;
  visited.file = SstFile::Open(
      sst,
      [&](const rocksdb::Slice& block, FilterKind kind) {
        visited.blocks.push_back(block.ToString());
        visited.kinds.push_back(kind);
      },
      &error);
  if (visited.file == nullptr) {
    throw std::runtime_error(error);
  }
  return visited;
}

std::set<std::string> KeysIn(SstFile* file) {
  std::set<std::string> keys;
  std::string error;
  EXPECT_TRUE(file->ForEachKey(
      [&](std::string_view key) {
        keys.emplace(key);
        return true;
      },
      &error))
      << error;
  return keys;
}

enum class Holds { kKeys, kPrefixes, kBoth };

rocksdb::Options OptionsFor(const KindOfFilter& kind, Holds holds,
                            Layout layout = Layout::kFull) {
  auto table_options = TableOptions(kind.policy, layout);
  table_options.format_version = kind.format_version;
  // Makes partitions large, because RocksDB's Ribbon policy builds a Bloom
  // filter for few keys.
  table_options.metadata_block_size = 4096;
  table_options.whole_key_filtering = holds != Holds::kPrefixes;
  rocksdb::Options options = DbOptions(table_options);
  if (holds != Holds::kKeys) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kPrefixSize));
  }
  return options;
}

template <typename Check>
void ForEachKind(Holds holds, Layout layout, const Rows& rows,
                 const Check& check) {
  for (const KindOfFilter& kind : KindsOfFilters()) {
    SCOPED_TRACE(kind.name);
    const TempDir dir;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                  OptionsFor(kind, holds, layout));
    Require(writer.Open(dir / "1.sst"));
    for (const auto& row : rows) {
      Require(writer.Put(row.first, row.second));
    }
    Require(writer.Finish());
    check(kind, dir / "1.sst");
  }
}

class FilterKindTest
    : public ::testing::TestWithParam<std::tuple<Holds, Layout>> {
 protected:
  const Holds holds_ = std::get<0>(GetParam());
  const bool is_partitioned_ = IsPartitioned(std::get<1>(GetParam()));
  const Rows rows_ = PrefixedDataset(6, 6000, 2, 20).rows;
  const std::set<std::string> keys_ = KeysOf(rows_);

  template <typename Check>
  void ForEach(const Check& check) {
    ForEachKind(holds_, std::get<1>(GetParam()), rows_, check);
  }
};

TEST_P(FilterKindTest, IsFound) {
  ForEach([&](const KindOfFilter& kind, const std::string& sst) {
    const Visited visited = Visit(sst);
    EXPECT_EQ(visited.file->filter_kind(), kind.kind);
    EXPECT_EQ(visited.file->FindFilterDamage(), "");
    EXPECT_EQ(visited.file->has_full_filter(),
              !is_partitioned_ && kind.kind != FilterKind::kNone);
    if (kind.kind == FilterKind::kNone) {
      EXPECT_EQ(visited.blocks.size(), 0u);
    } else {
      EXPECT_EQ(visited.blocks.size() > 1, is_partitioned_);
      EXPECT_THAT(visited.kinds, ::testing::Contains(kind.kind));
    }
    EXPECT_EQ(KeysIn(visited.file.get()), keys_);
  });
}

TEST_P(FilterKindTest, WithoutVisitNothingIsRead) {
  ForEach([](const KindOfFilter& kind, const std::string& sst) {
    std::string error;
    const auto file = SstFile::Open(sst, /*visit=*/nullptr, &error);
    ASSERT_NE(file, nullptr) << error;
    EXPECT_EQ(file->filter_kind(), kind.kind == FilterKind::kNone
                                       ? FilterKind::kNone
                                       : FilterKind::kUnknown);
    EXPECT_FALSE(file->has_full_filter());
  });
}

TEST_P(FilterKindTest, BothFormsAreTheSameFilterDb) {
  std::vector<std::string> ours;
  ForEach([&](const KindOfFilter& kind, const std::string& sst) {
    if (kind.kind == FilterKind::kCassandra) {
      ours = Visit(sst).blocks;
    } else if (kind.kind == FilterKind::kBesideRocksdb) {
      EXPECT_EQ(Visit(sst).blocks, ours);
    }
  });
  EXPECT_GT(ours.size(), 0u);
  if (!is_partitioned_ && holds_ == Holds::kKeys) {
    EXPECT_EQ(ours[0], Built(keys_, "nb"));
  }
}

TEST_P(FilterKindTest, RocksdbReadsItsBlocks) {
  if (holds_ == Holds::kPrefixes) {
    return;
  }
  ForEach([&](const KindOfFilter& kind, const std::string& sst) {
    if (kind.kind < FilterKind::kRocksdbsRibbon ||
        kind.kind > FilterKind::kRocksdbsOther) {
      return;
    }
    const auto rocksdbs = BuiltinPolicy();
    const Visited visited = Visit(sst);
    std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers;
    for (const std::string& block : visited.blocks) {
      readers.push_back(NewReader(*rocksdbs, block));
    }
    for (const auto& row : rows_) {
      EXPECT_TRUE(std::any_of(
          readers.begin(), readers.end(),
          [&](auto& reader) { return reader->MayMatch(row.first); }));
    }
    int matches = 0;
    for (int i = 0; i < 1000; ++i) {
      matches += readers[0]->MayMatch("absent" + std::to_string(i)) ? 1 : 0;
    }
    const bool all = kind.name.rfind("all match", 0) == 0;
    EXPECT_TRUE(all ? matches == 1000 : matches < 100) << matches;
  });
}

// SstFile must find the damage, because RocksDB itself reports no error if a
// full filter is damaged.
TEST_P(FilterKindTest, DamageIsSeen) {
  ForEach([&](const KindOfFilter& kind, const std::string& sst) {
    if (kind.kind == FilterKind::kNone) {
      return;
    }
    const std::string content = ReadFile(sst);
    const Visited good = Visit(sst);
    std::vector<size_t> offsets;
    size_t end = good.file->properties().data_size;  // Filters follow the rows.
    for (const std::string& block : good.blocks) {
      offsets.push_back(content.find(block, end));
      end = offsets.back() + block.size();
    }
    for (const size_t offset : {offsets.front(), offsets.back()}) {
      ASSERT_LT(offset, content.size());
      std::string damaged = content;
      damaged[offset] ^= 1;
      WriteFile(sst, damaged);
      const Visited visited = Visit(sst);
      EXPECT_EQ(visited.file->filter_kind(), FilterKind::kUnknown);
      EXPECT_FALSE(visited.file->has_full_filter());
      EXPECT_THAT(visited.file->FindFilterDamage(), HasSubstr("checksum"));
      EXPECT_EQ(KeysIn(visited.file.get()), keys_);
    }
  });
}

// Returns the filter layouts that give different SST files.
std::vector<Layout> LayoutsOfFiles() {
  std::vector<Layout> layouts;
  for (const Layout layout : AllLayouts()) {
    if (layout == Layout::kFull || layout == Layout::kPartitioned ||
        layout == Layout::kPartitionedDecoupled) {
      layouts.push_back(layout);
    }
  }
  return layouts;
}

INSTANTIATE_TEST_SUITE_P(
    All, FilterKindTest,
    ::testing::Combine(::testing::Values(Holds::kKeys, Holds::kPrefixes,
                                         Holds::kBoth),
                       ::testing::ValuesIn(LayoutsOfFiles())),
    [](const auto& test) {
      const Holds holds = std::get<0>(test.param);
      return std::string(holds == Holds::kKeys       ? "Keys"
                         : holds == Holds::kPrefixes ? "Prefixes"
                                                     : "Both") +
             ToString(std::get<1>(test.param));
    });

std::string WrittenBy(TestDb* db) {
  AddFile(db, 0, 20000);
  return OnlySst(*db);
}

TEST(FilterKindsTest, ReverseOrder) {
  for (const KindOfFilter& kind : KindsOfFilters()) {
    SCOPED_TRACE(kind.name);
    rocksdb::Options options = OptionsFor(kind, Holds::kKeys);
    options.comparator = rocksdb::ReverseBytewiseComparator();
    TestDb db(options);
    const Visited visited = Visit(WrittenBy(&db));
    EXPECT_EQ(visited.file->filter_kind(), kind.kind);
    EXPECT_EQ(KeysIn(visited.file.get()), KeysOf(NumberedRows(0, 20000)));
  }
}

// RocksDB's Ribbon policy also builds other filters: Bloom filters for a flush
// or for few keys, and filters that match every key if memory is short.
TEST(FilterKindsTest, PartitionsOfSeveralKinds) {
  bool (*const replaced[])(int) = {[](int number) { return number == 1; },
                                   [](int number) { return number > 1; }};
  for (const auto replaces : replaced) {
    const auto mixed = std::make_shared<ReplacingPolicy>(
        RibbonPolicy(), std::string(6, '\0'), replaces);
    TestDb db(OptionsFor({"mixed", mixed, FilterKind::kRocksdbsRibbon},
                         Holds::kKeys, Layout::kPartitioned));
    const Visited visited = Visit(WrittenBy(&db));
    EXPECT_EQ(visited.file->filter_kind(), FilterKind::kRocksdbsRibbon);
    EXPECT_THAT(visited.kinds, ::testing::Contains(FilterKind::kRocksdbsOther));
  }
  TestDb flushed(
      DbOptions(PolicyPtr(rocksdb::NewRibbonFilterPolicy(10)), Layout::kFull));
  EXPECT_EQ(Visit(WrittenBy(&flushed)).file->filter_kind(),
            FilterKind::kRocksdbsBloom);
}

// A level with 0 bits per key gets no filter.
TEST(FilterKindsTest, NoBits) {
  for (const char* const blocks : {"cassandra", "rocksdb"}) {
    rocksdb::CassandraBloomOptions options;
    options.level_bits = {0};
    options.blocks = blocks;
    TestDb db(DbOptions(
        PolicyPtr(rocksdb::NewCassandraBloomPolicyFromOptions(options))));
    const Visited visited = Visit(WrittenBy(&db));
    EXPECT_EQ(visited.file->properties().filter_policy_name, "cassandra_bloom");
    EXPECT_EQ(visited.file->filter_kind(), FilterKind::kNone);
    EXPECT_EQ(visited.file->FindFilterDamage(), "");
  }
}

TEST(FilterKindsTest, ABareTrailerIsAnEmptyFilterOfOurs) {
  TestDb db(DbOptions(std::make_shared<ReplacingPolicy>(
      PolicyBesideRocksdb(), std::string(kTrailer, sizeof(kTrailer)))));
  const Visited visited = Visit(WrittenBy(&db));
  EXPECT_EQ(visited.file->filter_kind(), FilterKind::kBesideRocksdb);
  EXPECT_EQ(visited.blocks, std::vector<std::string>{""});
  EXPECT_TRUE(visited.file->has_full_filter());
}

// These blocks are neither ours nor RocksDB's Bloom or Ribbon filters. Some
// blocks have at most five bytes, because RocksDB treats such a block as a
// filter without keys.
TEST(FilterKindsTest, OtherBlocksUnderRocksdbsName) {
  using std::string_literals::operator""s;
  const std::string blocks[] = {"\xff"s,
                                "\xff\0\0\0\0"s,
                                "\0c"s,
                                "filter \xff\1\0\0\0"s,
                                "filter \xfd\0\0\0\0"s,
                                "filter \0cb\xff\xfe"s};
  for (const std::string& block : blocks) {
    TestDb db(DbOptions(
        std::make_shared<ReplacingPolicy>(PolicyBesideRocksdb(), block)));
    const Visited visited = Visit(WrittenBy(&db));
    EXPECT_EQ(visited.file->filter_kind(), FilterKind::kRocksdbsOther);
    EXPECT_EQ(visited.blocks, std::vector<std::string>{block});
  }
}

class OtherPolicy final : public NamedPolicy {
 public:
  explicit OtherPolicy(const std::string& name)
      : NamedPolicy(name, BuiltinPolicy()) {}
  const char* CompatibilityName() const override { return "other"; }
};

TEST(FilterKindsTest, OfAnotherPolicy) {
  for (const char* const name :
       {"other", "cassandra_bloom", "cassandra_bloom.u16"}) {
    SCOPED_TRACE(name);
    TestDb db(DbOptions(std::make_shared<OtherPolicy>(name)));
    const Visited visited = Visit(WrittenBy(&db));
    EXPECT_EQ(visited.file->filter_kind(), FilterKind::kUnknown);
    EXPECT_EQ(visited.file->FindFilterDamage(), "");
    EXPECT_EQ(visited.blocks.size(), 0u);
    EXPECT_EQ(KeysIn(visited.file.get()), KeysOf(NumberedRows(0, 20000)));
  }
}

TEST(FilterKindsTest, KeysUntilTheVisitorStops) {
  TestDb db(DbOptions(OurPolicy()));
  const Visited visited = Visit(WrittenBy(&db));
  int count = 0;
  std::string error = "as it was";
  EXPECT_FALSE(visited.file->ForEachKey(
      [&](std::string_view) { return ++count < 3; }, &error));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(error, "as it was");
}

TEST(FilterKindsTest, OfPartitionKeys) {
  TestDb db(DbOptions(PolicyFor("fixed:8")));
  EXPECT_EQ(Visit(WrittenBy(&db)).file->filter_kind(), FilterKind::kCassandra);
}

}  // namespace
}  // namespace cassandra_bloom::testing
