// SPDX-License-Identifier: Apache-2.0

// A database, and a folder for its exported filters.

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
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tools/export/reconcile.h"

namespace cassandra_bloom::testing {

using ::testing::HasSubstr;
using Names = std::set<std::string>;
using ListenerPtr = std::shared_ptr<rocksdb::EventListener>;

inline const rocksdb::WriteOptions kWrite;

// Returns the numbers of filters that the listener has exported and removed,
// and of its failures.
std::vector<uint64_t> CountsOf(const ListenerPtr& listener);

// Throws std::runtime_error if the listener cannot be created.
ListenerPtr NewListener(const std::string& out_dir);

// Lists the live SST files of an open database.
LiveSsts LiveSstsOf(rocksdb::DB* db);

// A comparator whose name the export does not know.
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
  ExportTest() : db_(DbOptions(OurPolicy())) {}

  // Adds `count` SST files of 1000 rows each to the database.
  void AddFiles(int count);

  // Writes the rows 0 to 999 into an SST file and ingests the file.
  void IngestFile();

  void MoveToLevel(int level);

  // Creates a column family with one SST file of these rows.
  rocksdb::ColumnFamilyHandle* AddColumnFamily(
      const std::string& name, const rocksdb::ColumnFamilyOptions& options,
      const Rows& rows);

  // Replaces the database by an empty one, whose SST files will have the same
  // numbers.
  void ReplaceDatabase(const std::vector<ListenerPtr>& listeners = {});

  // Makes the folder hold the filters of the open database.
  bool Sync(const ExportOptions& options = {});

  // Reopens the database with these listeners.
  void Open(const std::vector<ListenerPtr>& listeners);

  // Reopens the database with a listener that exports into the folder.
  void Listen();

  // Expects that the folder has exactly the filters of the live SST files, that
  // an export would keep them, and that there are so many.
  void ExpectFilters(size_t count);

  Names Filters() const { return NamesIn(out_.path()); }
  std::string OneFilter() const { return out_ / *Filters().begin(); }
  std::string Log() const { return ReadFile(db_.path() + "/LOG"); }

  const TempDir out_;
  TestDb db_;
  ListenerPtr listener_;
  uint32_t next_ = 0;
  ExportReport report_;
  std::string error_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_
