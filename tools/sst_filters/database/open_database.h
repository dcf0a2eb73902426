// SPDX-License-Identifier: Apache-2.0

// Opens a database read-only, which may belong to another process.
//
// Tested in tests/sst_filters/doctor/not_asked_test.cc.
// Tested in tests/sst_filters/doctor/running_database_test.cc.
// Tested in tests/sst_filters/export_command_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_OPEN_DATABASE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_OPEN_DATABASE_H_

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom::tools {

// A database as the command line names it.
struct DatabaseOnDisk {
  std::string folder;
  // DBOptions::db_paths or a ColumnFamilyOptions::cf_paths, which no file of a
  // database names. Empty: the folder.
  std::vector<std::string> db_paths;
  std::vector<std::string> column_families;  // Empty: all.
};

// A column family.
struct Family {
  // What the newest OPTIONS file says, and RocksDB's defaults where it does not
  // say. Another program may have written the file. Comparators, filter
  // policies and prefix extractors that this process does not know have
  // stand-ins, which only have the right name.
  rocksdb::ColumnFamilyOptions options;
  rocksdb::BlockBasedTableOptions table;
  std::string policy;  // As in the OPTIONS file. Empty if there is none.
  // If there is none, an older OPTIONS file that names one, and the policy, or
  // "" if none does.
  std::string former_policy;
  // Whether the policy is one of RocksDB without its bits per key.
  bool has_no_bits = false;

  // Whether the OPTIONS file could be read, and names no policy, or one that is
  // known here and not refused.
  bool is_policy_known = false;
  bool is_block_based = true;

  // Why no key can be looked up, or empty. The files can still be read if they
  // are block-based.
  std::string not_asked;

  // What was in the database at one moment. The handle is valid as long as the
  // database is open.
  rocksdb::ColumnFamilyMetaData files;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
};

// IsInstanceOf(kUnknownHere) is true for all stand-ins.
constexpr char kUnknownHere[] = "cassandra_bloom.UnknownHere";

// Makes RocksDB's loader take what is known here, and else the stand-ins.
rocksdb::ConfigOptions ConfigWithStandIns(rocksdb::Env* env);

// Returns the policy that an OPTIONS file spells so.
std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(const std::string& text);

// Returns the path under which this SST file is there: RocksDB also reads files
// with the suffix of LevelDB (TableCache::GetTableReader), but always lists
// ".sst".
std::string PathOnDisk(const std::string& sst);

// Sees what RocksDB reads, and which filters.
struct FilterWitness : rocksdb::EventListener {
  using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

  // Returns what RocksDB gets for the policy of a column family.
  virtual Policy PolicyFor(const Policy& policy) = 0;
};

// Returns options for opening SST files of the column family read-only. Without
// a witness (null), RocksDB reads no filter.
rocksdb::ColumnFamilyOptions OptionsForReading(const Family& family,
                                               FilterWitness* witness);

// Each member must live longer than those that follow.
struct OpenedDatabase {
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<std::unique_ptr<rocksdb::ColumnFamilyHandle>> handles;
  std::vector<Family> families;  // Those that the command line names.
  std::string log_dir;           // DBOptions::db_log_dir.
};

// Throws Unusable if the database cannot be opened, or does not have these
// column families.
OpenedDatabase OpenDatabase(const DatabaseOnDisk& what,
                            const std::shared_ptr<FilterWitness>& witness);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_OPEN_DATABASE_H_
