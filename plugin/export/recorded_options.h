// SPDX-License-Identifier: Apache-2.0

// What of a database's options its OPTIONS file says, as far as one must know
// it to list the files of a database that another program has written.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/options.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cassandra_bloom {

// Stands in for a comparator that is not known here: its name is all that
// RocksDB checks when it lists files. It sorts the files of a level, which is
// of no matter for a list, and may look for files that overlap, as builds with
// assertions always do (VersionBuilder::CheckConsistencyDetails). By their
// bytes, no files overlap that do not so in bytewise order, or in that order
// backwards. No key may be searched for with it.
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
  // Those of the column families that are not known here, by their names.
  std::shared_ptr<NamedComparators> named_comparators;

  // Those that are not known are the defaults.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions Of(
      const std::string& column_family) const;

  // To open it read-only for the names of its files, with no more in memory.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions ForListing(
      const std::string& column_family) const;

  // The name of its comparator if that is not known here, otherwise "".
  std::string UnknownComparatorOf(const std::string& column_family) const;
};

// The database may have been written by a program with comparators, filters or
// whole options of which nothing is known here, and what matters of them shows
// later, so that nothing is an error.
RecordedOptions LoadRecordedOptions(const std::string& db_dir);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_
