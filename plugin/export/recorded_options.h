// SPDX-License-Identifier: Apache-2.0

// The options in a database's OPTIONS file that are needed to list the files of
// a database that another program has written.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/options.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cassandra_bloom {

// Stands in for a comparator that is not known here: when RocksDB lists files,
// it checks only the name. RocksDB also sorts the files of a level, which does
// not matter for a list, and may check that they do not overlap, as builds with
// assertions always do (VersionBuilder::CheckConsistencyDetails). Compared by
// their bytes, files do not overlap if the real order is bytewise or reverse
// bytewise. Must not be used to search for a key.
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

  // The default options if the column family is not recorded.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions Of(
      const std::string& column_family) const;

  // For a read-only open that only lists files, with nothing else in memory.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions ForListing(
      const std::string& column_family) const;

  // The name of its comparator if it is not known here, otherwise "".
  std::string UnknownComparatorOf(const std::string& column_family) const;
};

// Never fails. The database may have been written by a program with
// comparators, filters or other options that are not known here. Those that
// matter show later.
RecordedOptions LoadRecordedOptions(const std::string& db_dir);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_RECORDED_OPTIONS_H_
