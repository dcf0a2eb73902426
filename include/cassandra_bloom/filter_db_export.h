// SPDX-License-Identifier: Apache-2.0

// Exports Filter.db files for the SST files of a RocksDB database.
//
// If the filter of an SST file is a full filter of this library and holds the
// wanted entries, its block already is a Filter.db and is exported unchanged
// (with blocks=rocksdb, without its trailer).
// Otherwise the filter is built anew from the keys of the file.
//
// The export only reads a database, and may do so while another process writes
// to it: nothing in the database's folders is created, changed or removed, and
// the write-ahead log is not read. Only what is in SST files is exported.
//
// These functions are in the static library of the plugin only.
//
// Errors are sentences that name the file and the remedy. All functions refuse
// to work in a process whose RocksDB is another release than the one this
// library was compiled for.

#ifndef CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
#define CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"

namespace ROCKSDB_NAMESPACE {
class SliceTransform;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

enum class ExportFrom {
  kBlockOrKeys,  // Export the block if possible, otherwise the keys.
  kBlock,        // It is an error if the block cannot be exported.
  kKeys,         // Always build the filter from the keys.
};

struct FilterDbExportOptions {
  // The SSTable version, as for FormOfSstableVersion. To export a database, it
  // must be a version, not the name of a form, because the file names contain
  // it.
  std::string sstable_version = "nb";

  ExportFrom from = ExportFrom::kBlockOrKeys;

  // The size of filters that are built from keys: bits per key or, if fp_chance
  // is not 0, Cassandra's bloom_filter_fp_chance.
  double bits_per_key = 10;
  double fp_chance = 0;

  // Which part of a storage key is exported, spelt as in CassandraBloomOptions.
  // If empty, it is the part that the filter of the SST file holds, if that
  // filter is one of this library; otherwise it is the whole key.
  std::string partition_key;

  // If true, the prefixes of the keys are exported instead of the keys, and
  // keys without a prefix are left out. They are extracted with
  // `prefix_extractor`. If that is null, the extractor is taken from the column
  // family in the OPTIONS file or, for a single SST file, by the name in that
  // file. If false, keys are exported; a block that holds only prefixes is not.
  bool prefixes = false;
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;

  // If true, deletions are left out of filters that are built from keys. If
  // false, such filters hold every entry of the file, including deletions:
  // without the key of a deletion, the deleted row comes back to life. RocksDB
  // shows deletions since 9.2. With an earlier RocksDB, a file with deletions
  // is an error if this is false. (A deleted range has no key and is in no
  // filter.)
  bool live_keys_only = false;

  // For a database with DBOptions::db_paths or ColumnFamilyOptions::cf_paths:
  // all of these folders, in any order. The folder of the database may be among
  // them. They must be given because no file of a database names them. Each SST
  // file is searched for in all these folders, by its number and its size.
  std::vector<std::string> db_paths;

  // Replace files that exist. A path that exists and is not a regular file is
  // treated as by WriteFilterDbFile. With `sync`, ExportFilterDbs treats such a
  // path as an error and, if this is true, also takes over folders.
  bool overwrite = false;

  // Called from time to time with `done`, the number of entries that were read,
  // and `all`, the number of all entries.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

struct ExportedFilterDb {
  std::string sst_file;
  std::string filter_db;
  bool from_block = false;
  std::string why_not_block;  // Empty if from_block or kKeys.
  bool holds_prefixes = false;
  std::string partition_key;  // The part of a storage key in the filter.
  uint64_t num_keys = 0;      // In the filter, as far as RocksDB knows.
  uint64_t num_range_deletions = 0;
  int num_probes = 0;
  uint32_t num_words = 0;
};

// Exports the Filter.db of one SST file.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDb(const std::string& sst_file,
                                           const std::string& filter_db,
                                           const FilterDbExportOptions& options,
                                           ExportedFilterDb* exported,
                                           std::string* error);

// Sets `*name` to the name of the Filter.db for an SST file:
// "nb-123-big-Filter.db" for "000123.sst"; for version "da" it is
// "da-123-bti-Filter.db", as in Cassandra.
CASSANDRA_BLOOM_EXPORT bool ExportedFilterDbName(
    const std::string& sst_file, const std::string& sstable_version,
    std::string* name, std::string* error);

struct FilterDbExportReport {
  std::vector<ExportedFilterDb> exported;
  std::vector<std::string> kept;     // Filters found up to date. `sync` only.
  std::vector<std::string> removed;  // Filters removed. `sync` only.
  std::vector<std::string> errors;   // One for each SST file that failed.
};

// Exports the Filter.db of every live SST file of a database, named as by
// ExportedFilterDbName, into `out_dir`. `out_dir` must not be in the folder of
// a database; it is created if its parent exists.
//
// `column_family`: a name, or "" for all column families.
//
// `sync`: makes `out_dir` hold exactly these files. Removes files that have the
// name of an exported Filter.db of this version but belong to no live SST file,
// and the temporary files of an export that was killed. Without `overwrite`,
// keeps a file that is complete, no older than its SST file, and recorded as
// made from that SST file, whatever its bits per key.
//
// A hidden file marks the folder as that of this database. It records the
// partition_key, prefixes, live_keys_only and ExportFrom::kKeys with which the
// filters were made, and the SST file from which each was made. It is an error
// if the folder is marked for another database, or if it holds SSTables of
// Cassandra. Without `overwrite`, it is also an error if the folder's filters
// were made with other settings, or if the folder has filters of this version
// but no mark. A filter that the mark does not record is made anew. Without
// `sync`, an export into a marked folder is an error.
//
// It is also an error if something has the name of an exported Filter.db but is
// not a regular file, above all if it is a symbolic link: nothing is written
// through it, and it is not removed.
//
// Exports to the same `out_dir` wait for each other, also in other processes,
// unless the folder is on NFS.
//
// An error with one SST file does not stop the others. Returns false if there
// was any error; `*report` says what was done nevertheless.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDbs(
    const std::string& db_dir, const std::string& column_family,
    const std::string& out_dir, bool sync, const FilterDbExportOptions& options,
    FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
