// SPDX-License-Identifier: Apache-2.0

// Exports Filter.db files from the SST files of a RocksDB database: of one SST
// file, of a whole database, or by a listener that keeps a folder of Filter.db
// files up to date with a running database.
//
// The export copies the filter block of an SST file if it is a full filter of
// this library that holds exactly the wanted keys. Such a block already is a
// Filter.db. (With the policy's option blocks=rocksdb, the block has five more
// bytes at its end, which are not copied.) Otherwise the export builds a new
// filter from the keys of the SST file, also from the keys of deletions: an
// older SST file may still have the deleted row. RocksDB before release 9.2
// does not show the keys of deletions. With such a release, building a filter
// from keys fails if the SST file has deletions of keys. A deletion of a range
// has no key, so no filter holds it.
//
// The export only reads a database. It creates, changes and removes nothing in
// the database's folders. Another process, or this one, may have the database
// open and write to it at the same time. The export sees only entries in SST
// files, because it does not read the write-ahead log. It can read keys only if
// the database has one of RocksDB's bytewise comparators, without timestamps.
//
// Of these functions, the shared library has only NewFilterDbExportListener and
// GetFilterDbExportCounts. All are in librocksdb_cassandra_bloom.a.
//
// All functions may be called in any thread. No pointer may be null. `*error`
// is set only if a function fails. Errors are sentences that name the file and
// the remedy. All exports fail if the process runs another release of RocksDB
// (major.minor) than the one this library was compiled for.

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
class DB;
class EventListener;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

enum class ExportFrom {
  // Copy the filter block if possible. Otherwise build the filter from keys.
  kBlockOrKeys,
  // Always build the filter from the keys of the SST file.
  kKeys,
};

struct FilterDbExportOptions {
  // The SSTable version of the Filter.db, such as "nb". For a single SST file,
  // it may be the name of a form, such as "na-and-later". For a database, it
  // must be a version, because the file names contain it.
  std::string sstable_version = "nb";

  ExportFrom from = ExportFrom::kBlockOrKeys;

  // The size of filters that are built from keys. If fp_chance is 0,
  // bits_per_key gives the size, and is from 1 to 100. Otherwise fp_chance
  // gives the size. It is Cassandra's bloom_filter_fp_chance, at least
  // 0.0000671 and less than 1.
  double bits_per_key = 10;
  double fp_chance = 0;

  // The part of each RocksDB key that is exported, in the spelling of
  // CassandraBloomOptions::partition_key. If this string is empty and the SST
  // file has a filter of this library, the export uses the part that this
  // filter holds. If this string is empty and there is no such filter, the
  // whole key is exported.
  std::string partition_key;

  // All folders in DBOptions::db_paths and ColumnFamilyOptions::cf_paths of the
  // database, in any order. The folder of the database may be among them. The
  // caller must give these folders because no file of a database names them.
  // Each SST file is searched for in all of them, by its number and its size.
  std::vector<std::string> db_paths;

  // If true, existing files are replaced, and with `sync`, all filters are made
  // anew, and a folder whose filters no export recorded is taken over.
  bool overwrite = false;

  // If true, ExportFilterDbs writes and removes nothing. The report says what
  // it would do. In ExportedFilterDb, only the two paths are then set.
  bool dry_run = false;

  // Called often during an export. `done` is the number of entries read so far,
  // and `all` is the number of all entries.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

struct ExportedFilterDb {
  std::string sst_file;
  std::string filter_db;
  bool from_block = false;
  // Why the filter block was not copied. Empty if `from_block` is true, or if
  // `from` was kKeys.
  std::string why_not_block;
  std::string partition_key;  // The part of a key that the filter holds.
  uint64_t num_keys = 0;      // Entries in the filter, as far as RocksDB knows.
  uint64_t num_range_deletions = 0;
  int num_probes = 0;
  uint32_t num_words = 0;
};

// Exports the Filter.db of one SST file. Replaces a symbolic link at
// `filter_db`, and does not follow it.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDb(const std::string& sst_file,
                                           const std::string& filter_db,
                                           const FilterDbExportOptions& options,
                                           ExportedFilterDb* exported,
                                           std::string* error);

// Sets `*name` to the name of the Filter.db for an SST file. For "000123.sst"
// and version "nb" the name is "nb-123-big-Filter.db". For version "da" it is
// "da-123-bti-Filter.db", as in Cassandra.
CASSANDRA_BLOOM_EXPORT bool ExportedFilterDbName(
    const std::string& sst_file, const std::string& sstable_version,
    std::string* name, std::string* error);

struct FilterDbExportReport {
  std::vector<ExportedFilterDb> exported;
  std::vector<std::string> kept;     // Filters up to date. Only with `sync`.
  std::vector<std::string> removed;  // Filters removed. Only with `sync`.
  std::vector<std::string> errors;   // One for each SST file that failed.
};

// Exports the Filter.db of every live SST file of a database into the folder
// `out_dir`, which is created if its parent exists. ExportedFilterDbName gives
// the file names. `column_family`: a name, or "" for all column families.
//
// `sync`: if true, `out_dir` afterwards holds the filters of exactly the live
// SST files. Filters of this SSTable version that belong to no live SST file
// are removed, and so is what a killed export has left. A hidden file in
// `out_dir` marks it as the folder of this database. For each filter, it
// records from which SST file and with which options the filter was made, and
// the size and time of the filter. A filter for which this record is right is
// kept. All others are made anew. After a failure, a second call does what is
// left.
//
// With `sync`, refuses a folder that is marked for another database, even for
// one that is a copy. Without `overwrite`, also refuses a folder that has
// filters of this SSTable version but no mark.
//
// Exports with `sync` to the same `out_dir` wait for each other, also in other
// processes, unless `out_dir` is on NFS. An SST file that cannot be read does
// not stop the export of the others. Returns false if there was any error.
// `*report` says what was done, even after an error.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDbs(
    const std::string& db_dir, const std::string& column_family,
    const std::string& out_dir, bool sync, const FilterDbExportOptions& options,
    FilterDbExportReport* report, std::string* error);

// ---- A database that is open in this process ----

// Returns a listener for DBOptions::listeners. It makes `out_dir` hold the
// filters of the live SST files, like ExportFilterDbs with `sync`, soon after
// each flush, compaction, ingestion and deletion of an SST file. A thread of
// the listener does this work. The listener serves one database, in local
// files, and one folder, which may come into being later. If the version is
// unknown or `out_dir` is empty, returns nullptr and sets `*error`. RocksDB
// crashes if a listener is null.
//
// In an options string or an OPTIONS file, in a process that has called
// register_cassandra_bloom (filter_policy.h), the same listener is:
//
//   listeners=cassandra_bloom_export(nb,/var/lib/filters)
//
// In the path, write each byte that is not a letter, a digit or one of "/._-"
// as "%" and two hexadecimal digits. For example, a colon is "%3A". Several
// listeners have ":" between them. Before 11.8, RocksDB reads several listeners
// in an OPTIONS file as one. Of these, only the first one of this library
// works, and the program has to add the others itself.
//
// A failure of the listener never makes an operation of the database fail. The
// listener counts failures and logs them in RocksDB's LOG or on stderr. What
// has failed is tried again after the next event. An SST file that could not be
// read is tried again at most once a minute. ExportFilterDbs with `dry_run`
// says what is missing.
//
// RocksDB sends no event when a database is opened, for files that a crash left
// behind, for imported files, for a dropped column family, and at the end of
// DB::CompactFiles. The listener finds such changes at the next event. After an
// open, it begins with the first flush, compaction or ingestion.
//
// When the database closes, the listener lists the live files once more.
// Destroying the listener then takes up to about a second, even in the middle
// of an SST file or while somebody else holds the lock of the folder. The work
// that is left is done after the next event that follows the next open, or by
// ReconcileFilterDbExports. RocksDB usually destroys the listener when the
// database is closed. If a program deletes a handle of the default column
// family, as DB::Open without handles itself does, the listener goes on at the
// next flush, compaction or ingestion. After a fork, only the listener of the
// parent process goes on.
CASSANDRA_BLOOM_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener>
NewFilterDbExportListener(const std::string& out_dir,
                          const std::string& sstable_version,
                          std::string* error);

// Like ExportFilterDbs with `sync`, at once and in this thread, for a database
// that is open in this process. Must not be called from an event of a listener.
CASSANDRA_BLOOM_EXPORT bool ReconcileFilterDbExports(
    ROCKSDB_NAMESPACE::DB* db, const std::string& out_dir,
    const std::string& sstable_version, FilterDbExportReport* report,
    std::string* error);

struct FilterDbExportCounts {
  uint64_t exported = 0;
  uint64_t removed = 0;
  uint64_t failed = 0;
};

// Sets `*counts` to what `listener` has done so far. Returns false if
// `listener` is not a listener of this library. DB::GetDBOptions returns the
// listeners of a database.
CASSANDRA_BLOOM_EXPORT bool GetFilterDbExportCounts(
    const ROCKSDB_NAMESPACE::EventListener& listener,
    FilterDbExportCounts* counts);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
