// SPDX-License-Identifier: Apache-2.0

// Reads, from the OPTIONS file of a database that another program has written,
// the options that are needed to list the database's files.
// Tested in tests/export/database_exporter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/options.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cassandra_bloom {

// Stands in for a comparator that this process does not know. To list files,
// RocksDB needs only the comparator's name. It also sorts the files of a level,
// which does not matter for a list, and may check that they do not overlap, as
// builds with assertions always do (VersionBuilder::CheckConsistencyDetails).
// This class compares keys by their bytes: then files do not overlap if their
// real order is bytewise or reverse bytewise. Must not be used to search for a
// key.
class NamedComparator final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  explicit NamedComparator(std::string name) : name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }
  int Compare(const ROCKSDB_NAMESPACE::Slice& a,
              const ROCKSDB_NAMESPACE::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(
      std::string* /*start*/,
      const ROCKSDB_NAMESPACE::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  const std::string name_;
};

using NamedComparators =
    std::map<std::string, std::unique_ptr<NamedComparator>>;

struct RecordedOptions {
  ROCKSDB_NAMESPACE::DBOptions db;
  std::map<std::string, ROCKSDB_NAMESPACE::ColumnFamilyOptions> column_families;
  // The stand-ins for comparators that are not known here, by name.
  std::shared_ptr<NamedComparators> named_comparators;

  // The recorded options of a column family, or the default options if there
  // are none.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions Of(
      const std::string& column_family) const;

  // Options for a read-only open that only lists files and keeps nothing else
  // in memory.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions ForListing(
      const std::string& column_family) const;

  // The name of the column family's comparator if this process does not know
  // it, otherwise "".
  std::string UnknownComparatorOf(const std::string& column_family) const;
};

// Never fails. A program with comparators, filters or other options unknown to
// this process may have written the database. If an unknown option matters,
// what needs it fails later.
RecordedOptions LoadRecordedOptions(const std::string& db_dir);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_
