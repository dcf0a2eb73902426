// SPDX-License-Identifier: Apache-2.0

// Opens a database read-only, which may belong to another process.
//
// Tested in tests/sst_filters/doctor/running_database_test.cc.
// Tested in tests/sst_filters/export_command_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_OPEN_DATABASE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_OPEN_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/metadata.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/sst_filters/filter_witness.h"
#include "tools/sst_filters/recorded_options.h"

namespace cassandra_bloom::tools {

// Looks for the SST file at `path`, then for its name in `folders`, because no
// file of a database names its db_paths and cf_paths. Returns the first file of
// this size (if given), otherwise one of another size, otherwise `path`.
std::string FindSst(const std::string& path,
                    const std::vector<std::string>& folders,
                    std::optional<uint64_t> size = std::nullopt);

// A database as the command line names it.
struct DatabaseOnDisk {
  std::string folder;
  // All folders in DBOptions::db_paths and ColumnFamilyOptions::cf_paths, in
  // any order. The folder of the database may be among them.
  std::vector<std::string> db_paths;
  std::vector<std::string> column_families;  // Empty: all.
};

struct OpenedFamily {
  std::string name;
  FamilyOptions options;
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData files;
};

// What the database was at one moment.
struct OpenedDatabase {
  std::unique_ptr<ROCKSDB_NAMESPACE::Env> env;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles;
  std::vector<OpenedFamily> families;  // Those that the command line names.

  OpenedDatabase() = default;
  OpenedDatabase(const OpenedDatabase&) = delete;
  OpenedDatabase& operator=(const OpenedDatabase&) = delete;
  ~OpenedDatabase() {
    for (ROCKSDB_NAMESPACE::ColumnFamilyHandle* const handle : handles) {
      db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
  }
};

// Returns nullptr, with `*error`, on failure. RocksDB reads filters only if
// there is a witness.
std::unique_ptr<OpenedDatabase> OpenDatabase(
    const DatabaseOnDisk& what, const std::shared_ptr<FilterWitness>& witness,
    std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_OPEN_DATABASE_H_
