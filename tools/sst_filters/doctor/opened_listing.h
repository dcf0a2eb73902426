// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/running_database_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_OPENED_LISTING_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_OPENED_LISTING_H_

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/metadata.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/sst_filters/doctor/family_options.h"
#include "tools/sst_filters/doctor/filter_witness.h"

namespace cassandra_bloom::tools {

struct DatabaseToExamine {
  std::string db;
  std::vector<std::string> db_paths;         // Further folders of SST files.
  std::vector<std::string> column_families;  // Empty: all.
};

// A read-only open of the database: the files that it has at one moment.
struct Listing {
  RecordedOptions recorded;
  std::map<std::string, FamilyOptions> families;
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  std::map<std::string, ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db;

  Listing() = default;
  Listing(Listing&&) = default;
  Listing& operator=(Listing&&) = delete;
  ~Listing() {
    for (const auto& handle : handles) {
      db->DestroyColumnFamilyHandle(handle.second).PermitUncheckedError();
    }
  }
};

// Opens the database. Its files are in the order of column family, level and
// keys. Throws Unusable if it cannot be opened.
Listing OpenListing(const DatabaseToExamine& what, ROCKSDB_NAMESPACE::Env* env,
                    const std::shared_ptr<ROCKSDB_NAMESPACE::Cache>& cache,
                    FilterWitness* witness);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_OPENED_LISTING_H_
