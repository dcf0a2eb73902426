// SPDX-License-Identifier: Apache-2.0

// Reads what the newest OPTIONS file of a database says about the filters of
// its column families, with RocksDB's own loader. Another program may have
// written the file, and may have objects that this process does not know.
//
// Tested in tests/sst_filters/doctor/not_asked_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_RECORDED_OPTIONS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_RECORDED_OPTIONS_H_

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom::tools {

struct FamilyOptions {
  // RocksDB's defaults where the OPTIONS file does not say. Comparators, filter
  // policies and prefix extractors that this process does not know have
  // stand-ins, which only have the right name.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  std::string policy;  // As in the OPTIONS file. Empty if there is none.

  // Why the filters of the column family cannot be asked, or empty.
  std::string not_asked;

  // Returns options for opening SST files read-only with this policy. Filters
  // and indexes are kept in `cache`, or while a file is open if `cache` is
  // null.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions ForReading(
      std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> with_policy,
      const std::shared_ptr<ROCKSDB_NAMESPACE::Cache>& cache) const;
};

// Returns the options of these column families. Never fails: if the OPTIONS
// file is missing or cannot be read, `not_asked` says so.
std::map<std::string, FamilyOptions> LoadOptions(
    const std::string& db_dir, const std::vector<std::string>& column_families,
    ROCKSDB_NAMESPACE::Env* env);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_RECORDED_OPTIONS_H_
