// SPDX-License-Identifier: Apache-2.0

// A RocksDB database in a temporary folder.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_DB_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_DB_H_

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/rocksdb/dataset.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Throws, which fails the test, unless the status is OK.
void Require(const rocksdb::Status& status);

using PolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

PolicyPtr OurPolicy(double bits_per_key = 10);
// A cassandra_bloom policy at 10 bits per key that extracts this partition key.
PolicyPtr PolicyFor(const std::string& partition_key);
// With blocks=rocksdb.
PolicyPtr OurPolicyBesideRocksdb(double bits_per_key = 10);
PolicyPtr BuiltinPolicy(double bits_per_key = 10);
PolicyPtr BuiltinRibbonPolicy();

enum class Layout {
  kFull,
  kFullCached,
  kPartitioned,
  kPartitionedCached,
  kPartitionedPinned,
  kPartitionedDecoupled,  // RocksDB 9.6 and later.
};

// The layouts that this RocksDB supports.
std::vector<Layout> AllLayouts();
bool IsPartitioned(Layout layout);
std::string ToString(Layout layout);

// In partitioned layouts, the partitions are so small that even a small file
// has many of them. From RocksDB 11.8 on, blocks of kFullCached and
// kPartitionedDecoupled have keys and values apart, and are searched by
// interpolation.
rocksdb::BlockBasedTableOptions TableOptions(PolicyPtr policy,
                                             Layout layout = Layout::kFull);

// Turns off automatic compactions, so that files stay as the test wrote them.
rocksdb::Options DbOptions(
    const rocksdb::BlockBasedTableOptions& table_options);

inline rocksdb::Options DbOptions(PolicyPtr policy,
                                  Layout layout = Layout::kFull) {
  return DbOptions(TableOptions(std::move(policy), layout));
}

// Compresses files in several threads, where CanCompressInParallel.
void CompressInParallel(rocksdb::Options* options);

// The database, column family and read options with which a check reads.
struct Source {
  rocksdb::DB* db;
  rocksdb::ColumnFamilyHandle* column_family;
  rocksdb::ReadOptions read_options;
};

// Rewrites every SST file, even one that needs no compaction.
rocksdb::Status CompactAll(const Source& source);

// Returns the properties of the column family's only file. Throws if there is
// not exactly one file.
std::shared_ptr<const rocksdb::TableProperties> OnlyTable(const Source& source);

class TestDb {
 public:
  // Creates and opens the database.
  explicit TestDb(const rocksdb::Options& options);

  void Reopen() { Reopen(options_); }
  void Reopen(const rocksdb::Options& options);
  void Close() { db_.reset(); }

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* get() const { return db_.get(); }
  const std::string& path() const { return dir_.path(); }
  const rocksdb::Options& options() const { return options_; }

  Source source(const rocksdb::ReadOptions& read_options = {}) const {
    return {db_.get(), db_->DefaultColumnFamily(), read_options};
  }

  void Put(const Rows& rows);
  void Flush() { Require(db_->Flush(rocksdb::FlushOptions())); }
  void Compact() { Require(CompactAll(source())); }

  std::shared_ptr<const rocksdb::TableProperties> OnlyTable() const {
    return testing::OnlyTable(source());
  }

  // The count since this TestDb was created, or since the last ResetStatistics.
  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }
  // The functions below hide differences between RocksDB releases. Since 8.3,
  // iterators have tickers of their own, and if the filter looks up a key by
  // its prefix, the tickers count a prefix look-up (facebook/rocksdb#11460).

  // The number of seeks for which a filter was asked for the prefix, and how
  // many of them the filter rejected.
  uint64_t SeeksChecked() const;
  uint64_t SeeksFiltered() const;
  // The number of Gets that a filter rejected, by whole key or by prefix.
  uint64_t ReadsFiltered() const;
  void ResetStatistics() { Require(options_.statistics->Reset()); }

 private:
  const TempDir dir_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_DB_H_
