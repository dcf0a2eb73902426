// SPDX-License-Identifier: Apache-2.0

// Compares databases with a plain map. The databases have many rows per
// partition.
//
// The environment variable CASSANDRA_BLOOM_PERCENT=100 makes up to 10 million
// rows instead of 5000.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/percent.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

constexpr bool kSeekForPrevIsFixed = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 905;

enum class Filtered { kWholeKeys, kPrefixes, kBoth };

std::string ToString(Filtered filtered) {
  return filtered == Filtered::kWholeKeys  ? "WholeKeys"
         : filtered == Filtered::kPrefixes ? "Prefixes"
                                           : "Both";
}

uint64_t NumRows(uint64_t all) {
  return Percent() ? all * *Percent() / 100 : 5000;
}

// Maps each storage key to the number from which the row's value is made.
using NumberedRows = std::map<std::string, uint32_t>;

std::string ValueOfNumber(uint32_t number) { return BigEndian(number, 4); }

// Partitions with even numbers have rows, and partitions with odd numbers have
// none.
class PartitionedRows {
 public:
  PartitionedRows(const PartitionLayout& layout, uint64_t num_rows,
                  uint64_t rows_per_partition)
      : num_partitions_(num_rows / rows_per_partition) {
    uint32_t number = 0;
    for (uint64_t i = 0; i < num_partitions_; ++i) {
      for (uint64_t row = 0; row < rows_per_partition; ++row) {
        rows_.emplace(StorageKey(layout, 2 * i, row), number++);
      }
    }
  }

  const NumberedRows& rows() const { return rows_; }
  uint64_t num_partitions() const { return num_partitions_; }
  uint64_t Present(uint64_t i) const { return 2 * i; }
  uint64_t Absent(uint64_t i) const { return 2 * i + 1; }

  // Writes the rows into three files. About a quarter of the partitions have
  // all rows in one file.
  void WriteTo(TestDb* db) const {
    constexpr uint32_t kFiles = 3;
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    for (uint32_t file = 0; file < kFiles; ++file) {
      rocksdb::WriteBatch batch;
      for (const auto& [key, number] : rows_) {
        const bool together = TokenOf(number / 100) % 4 == 0;
        if ((together ? number / 100 : number) % kFiles == file) {
          Require(batch.Put(key, ValueOfNumber(number)));
          if (batch.Count() == 1000) {
            Require((*db)->Write(options, &batch));
            batch.Clear();
          }
        }
      }
      Require((*db)->Write(options, &batch));
      db->Flush();
    }
  }

 private:
  const uint64_t num_partitions_;
  NumberedRows rows_;
};

class PartitionRowsTest : public ::testing::TestWithParam<
                              std::tuple<PartitionLayout, Layout, Filtered>> {
 protected:
  const PartitionLayout layout_ = std::get<0>(GetParam());
  const Layout filter_layout_ = std::get<1>(GetParam());
  const Filtered filtered_ = std::get<2>(GetParam());

  rocksdb::Options OptionsWith(PolicyPtr policy) const {
    rocksdb::BlockBasedTableOptions table_options =
        TableOptions(std::move(policy), filter_layout_);
    table_options.whole_key_filtering = filtered_ != Filtered::kPrefixes;
    table_options.block_cache = rocksdb::NewLRUCache(size_t{512} << 20);
    table_options.block_size = 4096;
    table_options.metadata_block_size = 4096;
    rocksdb::Options options = DbOptions(table_options);
    options.write_buffer_size = size_t{256} << 20;
    options.level0_slowdown_writes_trigger = 100;
    options.level0_stop_writes_trigger = 200;
    if (filtered_ != Filtered::kWholeKeys) {
      Require(rocksdb::NewCassandraPartitionTransform(
          layout_.partition_key, &options.prefix_extractor));
    }
    return options;
  }

  PolicyPtr Policy() const {
    rocksdb::CassandraBloomOptions options;
    options.partition_key = layout_.partition_key;
    return PolicyPtr(rocksdb::NewCassandraBloomPolicyFromOptions(options));
  }

  void CheckGets(const TestDb& db, const PartitionedRows& data) {
    rocksdb::PinnableSlice value;
    for (const auto& [key, number] : data.rows()) {
      const auto status = db->Get({}, db->DefaultColumnFamily(), key, &value);
      ASSERT_TRUE(status.ok()) << status.ToString() << " "
                               << rocksdb::Slice(key).ToString(/*hex=*/true);
      ASSERT_EQ(value, ValueOfNumber(number));
      value.Reset();
    }
  }

  void CheckMultiGets(const TestDb& db, const PartitionedRows& data) {
    constexpr size_t kBatch = 64;
    std::vector<std::string> absent(kBatch);
    auto row = data.rows().begin();
    uint64_t num_absent = 0;
    while (row != data.rows().end()) {
      std::vector<rocksdb::Slice> keys;
      std::vector<const NumberedRows::value_type*> expected;
      while (keys.size() < kBatch && row != data.rows().end()) {
        if (keys.size() % 16 == 7) {
          std::string& key = absent[keys.size()];
          key = StorageKey(layout_, data.Absent(num_absent++), 0);
          keys.emplace_back(key);
          expected.push_back(nullptr);
        } else {
          keys.emplace_back(row->first);
          expected.push_back(&*row++);
        }
      }
      std::vector<rocksdb::PinnableSlice> values(keys.size());
      std::vector<rocksdb::Status> statuses(keys.size());
      db->MultiGet({}, db->DefaultColumnFamily(), keys.size(), keys.data(),
                   values.data(), statuses.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        if (expected[i] == nullptr) {
          ASSERT_TRUE(statuses[i].IsNotFound());
        } else {
          ASSERT_TRUE(statuses[i].ok()) << keys[i].ToString(/*hex=*/true);
          ASSERT_EQ(values[i], ValueOfNumber(expected[i]->second));
        }
      }
    }
  }

  void CheckSeeks(const TestDb& db, const PartitionedRows& data) {
    rocksdb::ReadOptions options;
    options.prefix_same_as_start = true;
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(options));
    for (uint64_t i = 0; i < data.num_partitions(); ++i) {
      const std::string prefix = layout_.prefix_of(data.Present(i));
      iterator->Seek(prefix);
      for (auto row = data.rows().lower_bound(prefix);
           row != data.rows().end() &&
           row->first.compare(0, prefix.size(), prefix) == 0;
           ++row, iterator->Next()) {
        ASSERT_TRUE(iterator->Valid())
            << rocksdb::Slice(row->first).ToString(true);
        ASSERT_EQ(iterator->key(), row->first);
        ASSERT_EQ(iterator->value(), ValueOfNumber(row->second));
      }
      ASSERT_FALSE(iterator->Valid());
      Require(iterator->status());
      iterator->Seek(layout_.prefix_of(data.Absent(i)));
      ASSERT_FALSE(iterator->Valid());
    }
  }

  // Returns how many calls of SeekForPrev do not find the right row.
  uint64_t CountSeekForPrevMisses(const TestDb& db,
                                  const PartitionedRows& data) {
    uint64_t misses = 0;
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator({}));
    const auto check = [&](const std::string& target,
                           const NumberedRows::value_type& row) {
      iterator->SeekForPrev(target);
      misses += !iterator->Valid() || iterator->key() != row.first ||
                iterator->value() != ValueOfNumber(row.second);
    };
    uint64_t i = 0;
    for (auto row = data.rows().begin(); row != data.rows().end(); ++row) {
      const auto next = std::next(row);
      const std::string prefix =
          // The key without the 4 bytes of the clustering key.
          row->first.substr(0, row->first.size() - 4);
      const bool is_last = next == data.rows().end() ||
                           next->first.compare(0, prefix.size(), prefix) != 0;
      if (is_last) {
        check(prefix + "\xFF\xFF\xFF\xFF\xFF", *row);
      }
      if (i++ % 10 == 0) {
        check(row->first, *row);
        check(row->first + '\0', *row);
      }
    }
    Require(iterator->status());
    return misses;
  }

  void CheckFilterEntries(const TestDb& db) {
    rocksdb::TablePropertiesCollection tables;
    Require(db->GetPropertiesOfAllTables(&tables));
    for (const auto& [path, properties] : tables) {
      rocksdb::SstFileReader reader((rocksdb::Options()));
      Require(reader.Open(path));
      const std::unique_ptr<rocksdb::Iterator> iterator(
          reader.NewIterator(rocksdb::ReadOptions()));
      uint64_t num_partitions = 0;
      std::string last;
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
        const std::string key = iterator->key().ToString();
        const std::string partition =
            HasEnd(layout_) ? key.substr(0, key.size() - 4) : key;
        num_partitions += partition != last ? 1 : 0;
        last = partition;
      }
      EXPECT_EQ(properties->num_filter_entries, num_partitions) << path;
      std::printf("%s: %" PRIu64 " rows, %" PRIu64 " partitions, %" PRIu64
                  " filter entries, %" PRIu64 " bytes\n",
                  path.substr(path.find_last_of('/') + 1).c_str(),
                  properties->num_entries, num_partitions,
                  properties->num_filter_entries, properties->filter_size);
    }
  }

  void CheckAbsentPartitionsAreFiltered(const TestDb& db,
                                        const PartitionedRows& data) {
    const_cast<TestDb&>(db).ResetStatistics();
    std::string value;
    for (uint64_t i = 0; i < data.num_partitions(); ++i) {
      ASSERT_TRUE(db->Get({}, StorageKey(layout_, data.Absent(i), 0), &value)
                      .IsNotFound());
    }
    EXPECT_GT(db.ReadsFiltered(), 85 * data.num_partitions() / 100);
  }

  void CheckEverything(TestDb* db, const PartitionedRows& data) {
    CheckGets(*db, data);
    CheckMultiGets(*db, data);
    CheckAbsentPartitionsAreFiltered(*db, data);
    if (filtered_ == Filtered::kWholeKeys) {
      return;
    }
    CheckSeeks(*db, data);
    EXPECT_GT(db->SeeksFiltered(), 0u);
    const uint64_t misses = CountSeekForPrevMisses(*db, data);
    const bool may_miss = !kSeekForPrevIsFixed &&
                          IsPartitioned(filter_layout_) &&
                          filtered_ == Filtered::kPrefixes;
    std::printf("SeekForPrev misses: %" PRIu64 "\n", misses);
    if (!may_miss) {
      EXPECT_EQ(misses, 0u);
    }
  }
};

TEST_P(PartitionRowsTest, NoRowIsEverMissing) {
  const bool is_large = layout_.name == std::string("TokenLengthKey") ||
                        layout_.name == std::string("FixedId");
  const PartitionedRows data(layout_, NumRows(is_large ? 10000000 : 1000000),
                             HasEnd(layout_) ? 100 : 1);
  TestDb db(OptionsWith(Policy()));
  data.WriteTo(&db);
  if (filter_layout_ == Layout::kFull && filtered_ != Filtered::kPrefixes) {
    CheckFilterEntries(db);
  }
  std::printf("%s: %zu rows, %" PRIu64 " partitions\n", layout_.partition_key,
              data.rows().size(), data.num_partitions());
  CheckEverything(&db, data);
  db.Compact();
  db.Reopen();
  if (is_large) {
    CheckGets(db, data);
  } else {
    CheckEverything(&db, data);
  }
  if (filter_layout_ == Layout::kFull && filtered_ != Filtered::kPrefixes) {
    CheckFilterEntries(db);
  }
}

std::vector<PartitionLayout> LayoutsWithEnd() {
  std::vector<PartitionLayout> layouts;
  for (const PartitionLayout& layout : kPartitionLayouts) {
    if (HasEnd(layout)) {
      layouts.push_back(layout);
    }
  }
  return layouts;
}

const auto kNameOf = [](const auto& test) {
  return std::get<0>(test.param).name + std::string("_") +
         ToString(std::get<1>(test.param)) + "_" +
         ToString(std::get<2>(test.param));
};

INSTANTIATE_TEST_SUITE_P(
    WholeKeys, PartitionRowsTest,
    ::testing::Combine(::testing::ValuesIn(kPartitionLayouts),
                       ::testing::Values(Layout::kFull, Layout::kPartitioned),
                       ::testing::Values(Filtered::kWholeKeys)),
    kNameOf);

INSTANTIATE_TEST_SUITE_P(
    WithPrefixes, PartitionRowsTest,
    ::testing::Combine(::testing::ValuesIn(LayoutsWithEnd()),
                       ::testing::Values(Layout::kFull, Layout::kPartitioned),
                       ::testing::Values(Filtered::kPrefixes, Filtered::kBoth)),
    kNameOf);

}  // namespace
}  // namespace cassandra_bloom::testing
