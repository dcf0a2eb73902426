// SPDX-License-Identifier: Apache-2.0

// Compares the statistics of a policy with the numbers that RocksDB reports.

#include <gtest/gtest.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/test_db.h"

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

}  // namespace
}  // namespace cassandra_bloom::testing
