// SPDX-License-Identifier: Apache-2.0

// Reads a database's OPTIONS file: what is needed to list the database's files,
// and what doctor reads. Another program may have written the file.
//
// Tested in tests/sst_filters/export/database_listing_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_RECORDED_OPTIONS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_RECORDED_OPTIONS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cassandra_bloom {

// Stands in for a comparator that this process does not know. Must not be used
// to search for a key. To list files, RocksDB needs only the comparator's name.
//
// Builds with assertions also check that the files of a level do not overlap
// (VersionBuilder::CheckConsistencyDetails). This class compares keys by their
// bytes, so the check succeeds if the real order is bytewise or its reverse.
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

// IsInstanceOf(kUnknownHere) is true for the stand-in of a filter policy or a
// prefix extractor that this process does not know. Its name is the text in the
// OPTIONS file. It must not be used.
constexpr char kUnknownHere[] = "cassandra_bloom.UnknownHere";

struct RecordedOptions {
  // Why the OPTIONS file could not be loaded, or OK.
  ROCKSDB_NAMESPACE::Status loaded;
  ROCKSDB_NAMESPACE::DBOptions db;
  std::map<std::string, ROCKSDB_NAMESPACE::ColumnFamilyOptions> column_families;
  // Stand-ins for the comparators that this process does not know. Key: name.
  std::shared_ptr<NamedComparators> named_comparators;

  // Returns the default options if there are no recorded ones.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions Of(
      const std::string& column_family) const;

  // Returns options for a read-only open that only lists files.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions ForListing(
      const std::string& column_family) const;

  // Returns "" if this process knows the column family's comparator.
  std::string UnknownComparatorOf(const std::string& column_family) const;
};

// Never fails, even if the OPTIONS file is missing or has options that this
// process does not know. If an unknown option matters, the code that needs it
// fails later.
RecordedOptions LoadRecordedOptions(const std::string& db_dir);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_RECORDED_OPTIONS_H_
