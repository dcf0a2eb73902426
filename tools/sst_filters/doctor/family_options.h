// SPDX-License-Identifier: Apache-2.0

// What the OPTIONS file of a database says about the filters of a column
// family.
//
// Tested in tests/sst_filters/doctor/not_asked_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FAMILY_OPTIONS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FAMILY_OPTIONS_H_

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "tools/sst_filters/doctor/filter_witness.h"
#include "tools/sst_filters/export/recorded_options.h"

namespace cassandra_bloom::tools {

struct FamilyOptions {
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  std::string policy;   // As in the OPTIONS file. Empty if there is none.
  std::string refused;  // Why the policy refuses its settings, or empty.
  // RocksDB up to 6.29 writes RocksDB's own policies to the OPTIONS file
  // without their settings. Such a policy reads filters, and builds none.
  bool is_read_only = false;
  // Why doctor cannot ask the filters of the column family, or empty. All
  // members above then have RocksDB's defaults where they are not known.
  std::string not_asked;
  // The prefix extractor, if this process does not know it. Otherwise empty.
  std::string unknown_extractor;

  bool has_extractor() const { return options.prefix_extractor != nullptr; }

  // Returns options for opening SST files read-only. Filters and indexes are
  // kept in `cache`, or while a file is open if `cache` is null.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions ForReading(
      const RecordedOptions& recorded, const std::string& name,
      const std::shared_ptr<ROCKSDB_NAMESPACE::Cache>& cache,
      FilterWitness* witness) const;
};

FamilyOptions OptionsOf(const RecordedOptions& recorded,
                        const std::string& column_family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FAMILY_OPTIONS_H_
