// SPDX-License-Identifier: Apache-2.0

// Filter.db files for the SST files of a RocksDB database.
//
// Where the filter of an SST file is a full one of ours, its block is a
// Filter.db already and is exported as it is. Any other filter is made anew
// from the keys of the file.
//
// Databases are read without harm, also while another process writes to them:
// nothing in their folders is created, changed or removed, and the write-ahead
// log is not read. Only what is in SST files is exported.
//
// Errors are sentences that name the file and the remedy. All of this refuses
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
  kBlockOrKeys,  // The block where that can be, otherwise the keys.
  kBlock,        // An error where that cannot be.
  kKeys,
};

struct FilterDbExportOptions {
  // As for FormOfSstableVersion. For a database it must be a version, not the
  // name of a form, as it becomes part of the names of the files.
  std::string sstable_version = "nb";

  ExportFrom from = ExportFrom::kBlockOrKeys;

  // Of filters made from keys: bits per key or, unless that is 0, Cassandra's
  // bloom_filter_fp_chance.
  double bits_per_key = 10;
  double fp_chance = 0;

  // What of a storage key is exported, spelt as in CassandraBloomOptions.
  // Empty: what the filter of each SST file holds, if it is one of ours, and
  // the whole key otherwise.
  std::string partition_key;

  // Export the prefixes of the keys instead of the keys. They are taken by
  // `prefix_extractor` or, if that is null, by the column family's as its
  // OPTIONS file has it, or, for an SST file by itself, by the one whose name
  // is in that file. Keys out of its domain have no prefix. Without this, a
  // block that holds prefixes alone is exported as such nevertheless.
  bool prefixes = false;
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;

  // Filters made from keys hold every entry of the file, deletions included:
  // without the key of a deletion, the deleted row comes back to life. RocksDB
  // shows deletions since 9.2; before, a file that has some is an error, unless
  // it is said here that they are not wanted. (A deleted range has no key, and
  // is in no filter.)
  bool live_keys_only = false;

  // For a database that has some: every folder of its DBOptions::db_paths and
  // ColumnFamilyOptions::cf_paths, in any order, with that of the database or
  // without it. No file of a database names them. An SST file is searched for
  // in all of them, by its number and its size.
  std::vector<std::string> db_paths;

  // Also files that exist. (What is there and is no regular file: as for
  // WriteFilterDbFile, but see `sync` of ExportFilterDbs.)
  bool overwrite = false;

  // Called now and then, with what was done of all there is to do.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

struct ExportedFilterDb {
  std::string sst_file;
  std::string filter_db;
  bool from_block = false;
  std::string why_not_block;  // Empty if from_block, or if not asked for.
  bool holds_prefixes = false;
  std::string partition_key;  // What of a storage key it holds.
  uint64_t num_keys = 0;      // In the filter, as far as RocksDB says it.
  uint64_t num_range_deletions = 0;
  int num_probes = 0;
  uint32_t num_words = 0;
};

// The Filter.db of one SST file.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDb(const std::string& sst_file,
                                           const std::string& filter_db,
                                           const FilterDbExportOptions& options,
                                           ExportedFilterDb* exported,
                                           std::string* error);

// "nb-123-big-Filter.db" for "000123.sst".
CASSANDRA_BLOOM_EXPORT bool ExportedFilterDbName(
    const std::string& sst_file, const std::string& sstable_version,
    std::string* name, std::string* error);

struct FilterDbExportReport {
  std::vector<ExportedFilterDb> exported;
  std::vector<std::string> kept;     // Were there. With `sync` only.
  std::vector<std::string> removed;  // With `sync` only.
  std::vector<std::string> errors;   // Of SST files, one each.
};

// The Filter.db of every live SST file of a database, by the name above, into
// `out_dir`, which may not be in the folder of a database. It is created if
// its parent is there.
//
// `column_family`: its name, or "" for all of them.
//
// `sync`: makes `out_dir` hold exactly these: of the files that are named as
// above with this version, those of no live SST file are removed, and so are
// the temporary ones of an export that was killed; a file that is whole and no
// older than its SST file is kept, whatever its bits per key, unless
// `overwrite`. A hidden file marks the folder as that of this database, and
// says with which partition_key, prefixes, live_keys_only and ExportFrom::kKeys
// the filters were made. The folder of another database, one with SSTables of
// Cassandra, and, unless `overwrite`, one with filters that were made otherwise
// is an error. Where the mark does not say it, all filters are made anew.
// Without `sync` nothing is exported into a folder that is marked.
// Whatever has one of these names and is no regular file, above all a symbolic
// link, is an error, too: nothing is written through it, and it is not removed.
//
// Exports to the same `out_dir` wait for each other, also in other processes,
// unless the folder is on NFS.
//
// An error of one SST file does not stop the others. False if there was any
// error; `*report` says what was done nevertheless.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDbs(
    const std::string& db_dir, const std::string& column_family,
    const std::string& out_dir, bool sync, const FilterDbExportOptions& options,
    FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
