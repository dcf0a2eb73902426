// SPDX-License-Identifier: Apache-2.0

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

// Throws std::runtime_error unless the status is OK.
void Require(const rocksdb::Status& status);

using PolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

// Registers cassandra_bloom in RocksDB's default registry, which lasts as long
// as the process.
void RegisterInDefaultRegistry();

// Registers, and creates a policy from a string, which may be a wrong one.
PolicyPtr PolicyFrom(const std::string& text);

PolicyPtr OurPolicy(double bits_per_key = 10);
// Returns a policy with this option `partition_key`, at 10 bits per key.
PolicyPtr PolicyFor(const std::string& partition_key);
// Returns a policy with the option blocks=rocksdb.
PolicyPtr OurPolicyBesideRocksdb(double bits_per_key = 10);
PolicyPtr BuiltinPolicy(double bits_per_key = 10);
// With the level -1, even flushed files get Ribbon filters.
PolicyPtr BuiltinRibbonPolicy(int bloom_before_level = 0);

enum class Layout {
  kFull,
  kFullCached,
  kPartitioned,
  kPartitionedCached,
  kPartitionedPinned,
  kPartitionedDecoupled,  // RocksDB 9.6 and later.
};

// Returns the layouts that this RocksDB supports.
std::vector<Layout> AllLayouts();
std::string ToString(Layout layout);

// In partitioned layouts, even a small file has many partitions.
rocksdb::BlockBasedTableOptions TableOptions(PolicyPtr policy,
                                             Layout layout = Layout::kFull);

// Turns off automatic compactions, so that files stay as the test wrote them.
rocksdb::Options DbOptions(
    const rocksdb::BlockBasedTableOptions& table_options);

inline rocksdb::Options DbOptions(PolicyPtr policy,
                                  Layout layout = Layout::kFull) {
  return DbOptions(TableOptions(std::move(policy), layout));
}

// What a filter holds: whole keys, prefixes of kPrefixSize bytes, or both.
enum class Filtered { kWholeKeys, kPrefixes, kBoth };

// A way in which RocksDB builds and asks filters.
struct Mode {
  Layout layout;
  Filtered filtered;

  std::string name() const;
  // Compresses files in several threads if CanCompressInParallel returns true.
  rocksdb::Options OptionsWith(PolicyPtr policy) const;
};

std::vector<Mode> AllModes();

struct Source {
  rocksdb::DB* db;
  rocksdb::ColumnFamilyHandle* column_family;
};

// Rewrites every SST file, even one that needs no compaction.
rocksdb::Status CompactAll(const Source& source);

// Compacts the files of level 0, or all files, of the default column family.
rocksdb::Status CompactFilesTo(int level, rocksdb::DB* db,
                               bool of_level_0 = false);

class TestDb {
 public:
  TestDb() = default;  // Does not open the database.
  explicit TestDb(const rocksdb::Options& options) { Reopen(options); }
  TestDb(const rocksdb::Options& options, const Rows& rows) : TestDb(options) {
    Fill(rows);
  }

  void Reopen() { Reopen(options_); }
  void Reopen(const rocksdb::Options& options) { Require(TryOpen(options)); }
  // Closes the database, and opens it. After an error it stays closed.
  rocksdb::Status TryOpen(const rocksdb::Options& options);
  void Close() { db_.reset(); }

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* get() const { return db_.get(); }
  const std::string& path() const { return dir_.path(); }
  const rocksdb::Options& options() const { return options_; }

  Source source() const { return {db_.get(), db_->DefaultColumnFamily()}; }

  void Put(const Rows& rows);
  void Flush() { Require(db_->Flush(rocksdb::FlushOptions())); }
  // Adds one SST file of these rows.
  void Fill(const Rows& rows) {
    Put(rows);
    Flush();
  }
  void Compact() { Require(CompactAll(source())); }

  // Throws if the default column family does not have exactly one SST file.
  std::shared_ptr<const rocksdb::TableProperties> OnlyTable() const;

  // Returns the count since the last ResetStatistics.
  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }
  // Returns how many Gets a filter rejected, by whole key or by prefix.
  uint64_t ReadsFiltered() const;
  void ResetStatistics() { Require(options_.statistics->Reset()); }

 private:
  const TempDir dir_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_TEST_DB_H_
