// SPDX-License-Identifier: Apache-2.0

// Compares the statistics of a policy with the numbers that RocksDB reports.

#include <gtest/gtest.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

struct FileFigures {
  uint64_t num_files = 0;
  uint64_t filters = 0;
  uint64_t entries = 0;
  uint64_t bytes = 0;

  bool operator==(const FileFigures& other) const {
    return num_files == other.num_files && filters == other.filters &&
           entries == other.entries && bytes == other.bytes;
  }
  friend std::ostream& operator<<(std::ostream& stream,
                                  const FileFigures& figures) {
    return stream << figures.num_files << " files, " << figures.filters
                  << " filters, " << figures.entries << " entries, "
                  << figures.bytes << " bytes";
  }
};

// Counts one filter per file, because RocksDB does not report the number of
// partitions.
class FilesListener final : public rocksdb::EventListener {
 public:
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    if (info.status.ok() && info.table_properties.filter_size > 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++figures_.num_files;
      ++figures_.filters;
      figures_.entries += info.table_properties.num_filter_entries;
      figures_.bytes += info.table_properties.filter_size;
    }
  }

  FileFigures figures() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return figures_;
  }

 private:
  mutable std::mutex mutex_;
  FileFigures figures_;
};

FileFigures CountedFigures(const rocksdb::FilterPolicy& policy,
                           uint64_t num_files) {
  const auto statistics = StatisticsOf(policy);
  EXPECT_EQ(statistics.match_all_filters, 0u);
  EXPECT_EQ(statistics.damaged_blocks, 0u);
  EXPECT_EQ(statistics.build_nanos > 0, statistics.filters_built > 0);
  return {num_files, statistics.filters_built, statistics.entries,
          statistics.bytes};
}

class DatabaseStatisticsTest : public ::testing::TestWithParam<Layout> {};

TEST_P(DatabaseStatisticsTest, AreThoseOfTheFilesWritten) {
  const Dataset dataset = NumberedDataset(3000, 100);
  const PolicyPtr policy = OurPolicy();
  const auto listener = std::make_shared<FilesListener>();
  rocksdb::Options options = DbOptions(policy, GetParam());
  options.listeners.push_back(listener);
  TestDb db(options);
  const auto check = [&](uint64_t num_files) {
    SCOPED_TRACE(num_files);
    const FileFigures counted = CountedFigures(*policy, num_files);
    EXPECT_EQ(counted.entries, num_files * dataset.rows.size());
    const FileFigures written = listener->figures();
    EXPECT_EQ(written.num_files, num_files);
    EXPECT_EQ(written.entries, counted.entries);
    if (IsPartitioned(GetParam()) && num_files > 0) {
      EXPECT_GT(counted.filters, 5 * num_files);
      // RocksDB's filter size includes the index of the filter's partitions.
      EXPECT_GT(written.bytes, counted.bytes);
      EXPECT_LT(written.bytes, counted.bytes * 13 / 10);
    } else {
      EXPECT_EQ(written, counted);
    }
  };
  check(0);
  for (uint64_t num_files = 1; num_files <= 3; ++num_files) {
    db.Put(dataset.rows);
    db.Flush();
    check(num_files);
  }
  db.Compact();
  check(4);
}

INSTANTIATE_TEST_SUITE_P(Layouts, DatabaseStatisticsTest,
                         ::testing::ValuesIn(AllLayouts()),
                         [](const auto& layout) {
                           return ToString(layout.param);
                         });

TEST(StatisticsOfPrefixesTest, AreThoseOfTheFilesWritten) {
  for (const bool whole_key_filtering : {false, true}) {
    const PolicyPtr policy = OurPolicy();
    const auto listener = std::make_shared<FilesListener>();
    rocksdb::BlockBasedTableOptions table_options = TableOptions(policy);
    table_options.whole_key_filtering = whole_key_filtering;
    rocksdb::Options options = DbOptions(table_options);
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
    options.listeners.push_back(listener);
    TestDb db(options);
    db.Put(NumberedDataset(5000, 0).rows);
    db.Flush();
    EXPECT_EQ(CountedFigures(*policy, 1), listener->figures());
  }
}

TEST(StatisticsOfNoFilterTest, AreZero) {
  const PolicyPtr policy = OurPolicy(0);
  TestDb db(DbOptions(policy));
  db.Put(NumberedDataset(100, 0).rows);
  db.Flush();
  EXPECT_EQ(CountedFigures(*policy, 0), FileFigures());
}

// Two databases share one policy, and flush and compact in many threads.
TEST(StatisticsConcurrencyTest, NothingIsLost) {
  constexpr uint32_t kBatch = 400;
  constexpr uint32_t kBatches = 60;
  const PolicyPtr policy = OurPolicy();
  const auto listener = std::make_shared<FilesListener>();
  rocksdb::Options options = DbOptions(policy, Layout::kFullCached);
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;
  options.level0_file_num_compaction_trigger = 2;
  options.target_file_size_base = 32 << 10;
  options.max_subcompactions = 2;
  options.max_background_jobs = 4;
  options.listeners.push_back(listener);
  std::vector<std::unique_ptr<TestDb>> databases;
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i) {
    databases.push_back(std::make_unique<TestDb>(options));
    writers.emplace_back([db = databases.back().get()] {
      for (uint32_t batch = 0; batch < kBatches; ++batch) {
        Rows rows;
        for (uint32_t j = 0; j < kBatch; ++j) {
          const std::string key = NumberedKey(batch * 100 + j);
          rows[key] = ValueOf(key);
        }
        db->Put(rows);
      }
      db->Flush();
      db->Compact();
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  for (const auto& db : databases) {
    db->Close();  // Waits for the last compaction.
  }
  const FileFigures written = listener->figures();
  EXPECT_GT(written.num_files, 20u);
  EXPECT_EQ(CountedFigures(*policy, written.num_files), written);
}

// At the end of each round, only the writer owns the policy, because the test
// has released its own pointers. An address sanitizer can then find a use after
// the end of its lifetime.
TEST(StatisticsOfSstFileWriterTest, AreThoseOfTheFileWritten) {
  const Rows rows = NumberedDataset(5000, 0).rows;
  const TempDir folder;
  for (const bool finish : {true, false}) {
    PolicyPtr policy = OurPolicy();
    auto options = std::make_unique<rocksdb::Options>(
        DbOptions(policy, Layout::kPartitioned));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), *options);
    options.reset();
    Require(writer.Open(folder / "file.sst"));
    for (const auto& [key, value] : rows) {
      Require(writer.Put(key, value));
    }
    if (finish) {
      Require(writer.Finish());
      EXPECT_EQ(StatisticsOf(*policy).entries, rows.size());
    } else {
      EXPECT_GT(StatisticsOf(*policy).entries, 0u);
      EXPECT_LT(StatisticsOf(*policy).entries, rows.size());
    }
    policy.reset();
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
