// SPDX-License-Identifier: Apache-2.0

// Tests ways in which applications use databases.

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/checkpoint.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/opened_db.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using DbPtr = std::unique_ptr<rocksdb::DB>;

Source SourceOf(const DbPtr& db) {
  return {db.get(), db->DefaultColumnFamily(), rocksdb::ReadOptions()};
}

void ExpectReadWithFilters(const Source& source,
                           const rocksdb::Options& options,
                           const Dataset& dataset) {
  Require(options.statistics->Reset());
  EXPECT_TRUE(PointReadsMatch(source, dataset));
  // Each absent key is read three times: by Get and by two kinds of MultiGet.
  EXPECT_GT(options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
            3 * dataset.absent.size() * 98 / 100);
}

class DeploymentTest : public ::testing::Test {
 protected:
  void WriteAndFlush() {
    db_.Put(dataset_.rows);
    db_.Flush();
  }

  void ExpectOpensElsewhere(
      const std::string& path,
      const std::function<rocksdb::Status(
          const rocksdb::Options&, const std::string&, rocksdb::DB**)>& open) {
    rocksdb::Options options = DbOptions(OurPolicy());
    options.create_if_missing = false;
    OpenedDb db{};
    Require(open(options, path, &db));
    const DbPtr owner = Own(std::move(db));
    ExpectReadWithFilters(SourceOf(owner), options, dataset_);
  }

  static rocksdb::Status Open(const rocksdb::Options& options,
                              const std::string& path, OpenedDb* db) {
    return rocksdb::DB::Open(options, path, db);
  }

  const Dataset dataset_ = NumberedDataset(2000, 2000);
  const TempDir elsewhere_;
  TestDb db_ = TestDb(DbOptions(OurPolicy()));
};

TEST_F(DeploymentTest, Checkpoint) {
  WriteAndFlush();
  rocksdb::Checkpoint* checkpoint = nullptr;
  Require(rocksdb::Checkpoint::Create(db_.get(), &checkpoint));
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  const std::string path = elsewhere_ / "checkpoint";
  Require(checkpoint->CreateCheckpoint(path));
  ExpectOpensElsewhere(path, Open);
}

TEST_F(DeploymentTest, BackupAndRestore) {
  WriteAndFlush();
  rocksdb::BackupEngine* engine = nullptr;
  Require(rocksdb::BackupEngine::Open(
      rocksdb::BackupEngineOptions(elsewhere_ / "backup"),
      rocksdb::Env::Default(), &engine));
  const std::unique_ptr<rocksdb::BackupEngine> owner(engine);
  Require(engine->CreateNewBackup(db_.get()));
  const std::string path = elsewhere_ / "restored";
  Require(engine->RestoreDBFromLatestBackup(path, path));
  ExpectOpensElsewhere(path, Open);
}

TEST_F(DeploymentTest, ReadOnly) {
  WriteAndFlush();
  db_.Close();
  ExpectOpensElsewhere(db_.path(), [](const rocksdb::Options& options,
                                      const std::string& path, OpenedDb* db) {
    return rocksdb::DB::OpenForReadOnly(options, path, db);
  });
}

TEST_F(DeploymentTest, Secondary) {
  WriteAndFlush();
  const std::string own_path = elsewhere_ / "secondary";
  ExpectOpensElsewhere(db_.path(), [&](rocksdb::Options options,
                                       const std::string& path, OpenedDb* db) {
    options.max_open_files = -1;
    return rocksdb::DB::OpenAsSecondary(options, path, own_path, db);
  });
}

TEST_F(DeploymentTest, IngestedFile) {
  const rocksdb::Options& options = db_.options();
  const std::string path = elsewhere_ / "ingested.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Require(writer.Open(path));
  Rows written_directly;
  size_t i = 0;
  for (const auto& [key, value] : dataset_.rows) {
    if (i++ % 2 == 0) {
      Require(writer.Put(key, value));
    }
    written_directly[key] = i % 2 == 0 ? value : "older than the file";
  }
  rocksdb::ExternalSstFileInfo info;
  Require(writer.Finish(&info));
  db_.Put(written_directly);
  db_.Flush();
  Require(
      db_->IngestExternalFile({path}, rocksdb::IngestExternalFileOptions()));

  EXPECT_TRUE(PointReadsMatch(db_.source(), dataset_));
  rocksdb::TablePropertiesCollection tables;
  Require(db_->GetPropertiesOfAllTables(&tables));
  ASSERT_EQ(tables.size(), 2);
  for (const auto& table : tables) {
    EXPECT_EQ(table.second->filter_policy_name, "cassandra_bloom");
    EXPECT_EQ(table.second->num_filter_entries, table.second->num_entries);
    EXPECT_EQ(table.second->filter_size,
              8 + 8 * NumWords(table.second->num_entries));
  }
  // Each read of an absent key asks the filters of both files.
  EXPECT_GT(db_.Ticker(rocksdb::BLOOM_FILTER_USEFUL),
            2 * 3 * dataset_.absent.size() * 97 / 100);
  db_.Compact();
  db_.Reopen();
  ExpectReadWithFilters(db_.source(), db_.options(), dataset_);
}

// With optimize_filters_for_hits, files of the last level have no filter. Reads
// skip the filter of the last file that they search.
TEST_F(DeploymentTest, OptimizeFiltersForHits) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.optimize_filters_for_hits = true;
  db_.Reopen(options);
  WriteAndFlush();
  EXPECT_EQ(db_.OnlyTable()->filter_size, 8 + 8 * NumWords(2000));
  db_.Compact();
  db_.Reopen();
  EXPECT_EQ(db_.OnlyTable()->filter_size, 0);
  db_.ResetStatistics();
  EXPECT_TRUE(PointReadsMatch(db_.source(), dataset_));
  EXPECT_EQ(db_.Ticker(rocksdb::BLOOM_FILTER_USEFUL), 0);
  db_.Put({*dataset_.rows.begin(), *dataset_.rows.rbegin()});
  db_.Flush();
  ExpectReadWithFilters(db_.source(), options, dataset_);
}

// ---- Column families ----

struct FamilyCase {
  const char* name;
  PolicyPtr policy;
  const char* recorded_name;
  int num_probes;  // 0 if the filter is not Cassandra's.
};

class ColumnFamiliesTest : public ::testing::Test {
 protected:
  ~ColumnFamiliesTest() override { Close(); }

  void Open() {
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    for (const FamilyCase& family : families_) {
      descriptors.emplace_back(family.name, DbOptions(family.policy));
    }
    rocksdb::Options options = DbOptions(nullptr);
    options.create_missing_column_families = true;
    statistics_ = options.statistics;
    OpenedDb db{};
    Require(
        rocksdb::DB::Open(options, dir_.path(), descriptors, &handles_, &db));
    db_ = Own(std::move(db));
  }

  void Close() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
    }
    handles_.clear();
    db_.reset();
  }

  Source source(size_t family) const {
    return {db_.get(), handles_[family], rocksdb::ReadOptions()};
  }

  void ExpectAllMatch(const Dataset& dataset) {
    for (size_t i = 0; i < families_.size(); ++i) {
      const FamilyCase& family = families_[i];
      SCOPED_TRACE(family.name);
      const auto table = OnlyTable(source(i));
      EXPECT_EQ(table->filter_policy_name, family.recorded_name);
      Require(statistics_->Reset());
      EXPECT_TRUE(PointReadsMatch(source(i), dataset));
      if (family.num_probes != 0) {
        EXPECT_EQ(table->filter_size, 8 + 8 * NumWords(dataset.rows.size()));
        EXPECT_EQ(statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
                  3 * ExpectedNegatives(dataset, family.num_probes));
      }
    }
  }

  const TempDir dir_;
  const std::vector<FamilyCase> families_ = {
      {"default", OurPolicy(), "cassandra_bloom", 7},
      // This filter is as large as the filter of "default". But Cassandra uses
      // only 5 probes for a false positive chance of 0.01.
      {"fp 0.01", PolicyPtr(rocksdb::NewCassandraBloomPolicyForFpChance(0.01)),
       "cassandra_bloom", 5},
      {"built-in", BuiltinPolicy(), "bloomfilter", 0},
      {"none", nullptr, "", 0}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  DbPtr db_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
};

TEST_F(ColumnFamiliesTest, OfDifferentPolicies) {
  const Dataset dataset = NumberedDataset(2000, 5000);
  Open();
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    for (const auto& [key, value] : dataset.rows) {
      Require(db_->Put(rocksdb::WriteOptions(), handle, key, value));
    }
    Require(db_->Flush(rocksdb::FlushOptions(), handle));
  }
  ExpectAllMatch(dataset);
  Close();
  Open();
  ExpectAllMatch(dataset);
  for (size_t i = 0; i < families_.size(); ++i) {
    Require(CompactAll(source(i)));
  }
  ExpectAllMatch(dataset);
}

// ---- Time stamps ----

std::string TimestampOf(uint64_t time) {
  std::string timestamp;
  for (int shift = 0; shift < 64; shift += 8) {
    timestamp.push_back(static_cast<char>(time >> shift));
  }
  return timestamp;
}

class TimestampTest : public ::testing::TestWithParam<Layout> {};

// Filters contain keys without timestamps. So all versions of a row are one
// filter entry.
TEST_P(TimestampTest, EveryVersionIsFound) {
  constexpr uint64_t kNumVersions = 3;
  const Dataset dataset = NumberedDataset(1000, 1000);
  rocksdb::Options options = DbOptions(OurPolicy(), GetParam());
  Require(rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts",
      &options.comparator));
  TestDb db(options);
  std::vector<Dataset> versions(kNumVersions + 1);
  for (uint64_t time = 1; time <= kNumVersions; ++time) {
    versions[time].absent = dataset.absent;
    for (const auto& [key, value] : dataset.rows) {
      versions[time].rows[key] = value + " at " + std::to_string(time);
      Require(db->Put(rocksdb::WriteOptions(), key, TimestampOf(time),
                      versions[time].rows[key]));
    }
  }
  db.Flush();
  const auto expect_all_match = [&] {
    const auto table = db.OnlyTable();
    EXPECT_GE(table->num_filter_entries, dataset.rows.size());
    EXPECT_LE(table->num_filter_entries,
              dataset.rows.size() + table->index_partitions);
    for (uint64_t time = 1; time <= kNumVersions; ++time) {
      SCOPED_TRACE("time " + std::to_string(time));
      const std::string timestamp = TimestampOf(time);
      const rocksdb::Slice timestamp_slice = timestamp;
      rocksdb::ReadOptions read_options;
      read_options.timestamp = &timestamp_slice;
      ExpectReadWithFilters(db.source(read_options), options, versions[time]);
    }
  };
  expect_all_match();
  db.Compact();
  db.Reopen();
  expect_all_match();
}

INSTANTIATE_TEST_SUITE_P(All, TimestampTest,
                         ::testing::Values(Layout::kFull, Layout::kPartitioned),
                         [](const auto& test) { return ToString(test.param); });

}  // namespace
}  // namespace cassandra_bloom::testing
