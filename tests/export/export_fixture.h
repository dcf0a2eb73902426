// SPDX-License-Identifier: Apache-2.0

// A database, and a folder to which its filters are exported.

#ifndef CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_
#define CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/listener.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/io/file_io.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

using ::testing::HasSubstr;
using Names = std::set<std::string>;
using ListenerPtr = std::shared_ptr<rocksdb::EventListener>;

constexpr char kMark[] = ".cassandra_bloom_database";
inline const rocksdb::WriteOptions kWrite;

// The name of the Filter.db of the SST file with this number.
inline std::string FilterName(uint64_t number) {
  return "nb-" + std::to_string(number) + "-big-Filter.db";
}

inline FilterDbExportOptions ForVersion(const std::string& sstable_version) {
  FilterDbExportOptions options;
  options.sstable_version = sstable_version;
  return options;
}

inline FilterDbExportOptions ForPartitionKey(const std::string& partition_key,
                                             ExportFrom from) {
  FilterDbExportOptions options;
  options.partition_key = partition_key;
  options.from = from;
  return options;
}

// Throws if the listener is refused.
ListenerPtr NewListener(const std::string& out_dir,
                        const std::string& sstable_version = "nb");

FilterDbExportCounts CountsOf(const ListenerPtr& listener);

// A comparator that is unknown to a reader that opens only an SST file.
class OddComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "Odd"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string*,
                             const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class ExportTest : public ::testing::Test {
 protected:
  explicit ExportTest(const rocksdb::Options& options = DbOptions(OurPolicy()))
      : db_(options) {}

  // Writes and flushes `count` files of 1000 rows.
  void AddFiles(int count);

  // Removes `count` SST files from the database's folder, without RocksDB.
  void RemoveSstFiles(int count);

  // Writes a file of the rows 0 ... 999 and ingests it.
  void IngestFile();

  // Moves all files to this level.
  void MoveToLevel(int level);

  // Creates a column family, and writes a file of the rows into it.
  rocksdb::ColumnFamilyHandle* AddColumnFamily(
      const std::string& name, const rocksdb::ColumnFamilyOptions& options,
      const Rows& rows);

  // Exports the database into the folder: Export without `sync`, Sync with it.
  bool Export(const FilterDbExportOptions& options = {});
  bool Sync(const FilterDbExportOptions& options = {},
            const std::string& column_family = "");

  // What `filterdb export --sync --force` does.
  bool TakeOver(FilterDbExportOptions options = {});

  bool Reconcile();

  // Opens the database with these listeners.
  void Open(const std::vector<ListenerPtr>& listeners);

  // Opens the database with a listener that exports into the folder.
  void Listen(const std::string& sstable_version = "nb");

  // Expects that the listener updates the folder, without a call of Reconcile.
  void ExpectFollowed(const std::string& sstable_version = "nb");

  // Locks the folder, as another writer does, until the result is destroyed.
  std::unique_ptr<FileDescriptor> LockFolder() const;

  // Expects that the listener counts this many failures, and that LOG has
  // `why`.
  void ExpectFailed(uint64_t count, const std::string& why);

  Names Live() const { return LiveFilterNames(db_); }
  Names Filters() const { return NamesIn(out_.path()); }
  // The path of one of the filters in the folder.
  std::string OneFilter() const { return out_ / *Filters().begin(); }

  const TempDir out_;
  TestDb db_;
  ListenerPtr listener_;
  uint32_t next_ = 0;
  FilterDbExportReport report_;
  std::string error_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_
