// SPDX-License-Identifier: Apache-2.0

// Exports Filter.db files for the SST files of a RocksDB database.
//
// The export copies the filter block of an SST file if possible. For this, the
// filter must be a full filter of this library and must hold exactly the wanted
// entries. Such a block already is a Filter.db. (If the policy has the option
// blocks=rocksdb, the block has five more bytes at its end. The export does not
// copy these bytes.) Otherwise the export builds a new filter from the keys of
// the SST file.
//
// The export only reads a database. It creates, changes and removes nothing in
// the database's folders. Another process, or this one, may have the database
// open and write to it at the same time. The export sees only entries in SST
// files, because it does not read the write-ahead log. It can read keys only if
// the database has one of RocksDB's bytewise comparators, without timestamps.
//
// These functions are only in librocksdb_cassandra_bloom.a, not in the shared
// library.
//
// All functions may be called in any thread. No pointer may be null. `*error`
// is set only if a function fails.
//
// Errors are sentences that name the file and the remedy. ExportFilterDb and
// ExportFilterDbs fail if the process runs another release of RocksDB
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
class SliceTransform;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

enum class ExportFrom {
  // Copy the filter block if possible. Otherwise build the filter from keys.
  kBlockOrKeys,
  // Copy the filter block. Fail if that is not possible.
  kBlock,
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
  // gives the size. It is Cassandra's bloom_filter_fp_chance, from 0.0000671
  // to 1.
  double bits_per_key = 10;
  double fp_chance = 0;

  // The part of each RocksDB key that is exported, in the spelling of
  // CassandraBloomOptions::partition_key. If this string is empty and the SST
  // file has a filter of this library, the export uses the part that this
  // filter holds. If this string is empty and there is no such filter, the
  // whole key is exported.
  std::string partition_key;

  // If true, the prefixes of keys are exported, and keys without a prefix are
  // left out. If false, keys are exported, and a filter block that holds only
  // prefixes is not copied.
  bool prefixes = false;

  // Finds the prefixes. If null, ExportFilterDbs takes the extractor of the
  // column family in the OPTIONS file, and ExportFilterDb takes the extractor
  // that the SST file names.
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;

  // If true, filters that are built from keys do not hold the keys of
  // deletions. If false, they hold the keys of all entries. The key of a
  // deletion is needed if an older SST file still has the deleted row. Without
  // that key, a reader of the filter would skip the deletion and find the
  // deleted row.
  //
  // RocksDB before release 9.2 does not show the keys of deletions. With such a
  // release, building a filter from keys fails if this option is false and the
  // SST file has deletions of keys. A deletion of a range has no key, so no
  // filter holds it.
  bool live_keys_only = false;

  // All folders in DBOptions::db_paths and ColumnFamilyOptions::cf_paths of the
  // database, in any order. The folder of the database may be among them. The
  // caller must give these folders because no file of a database names them.
  // Each SST file is searched for in all of them, by its number and its size.
  std::vector<std::string> db_paths;

  // If true, existing files are replaced. A path that is not a regular file is
  // treated as by WriteFilterDbFile.
  //
  // With `sync`, ExportFilterDbs fails for a path that is not a regular file.
  // With `sync` and `overwrite`, ExportFilterDbs also accepts filters in
  // `out_dir` that were made with other options, and filters that no mark file
  // records.
  bool overwrite = false;

  // Called from time to time during an export. `done` is the number of entries
  // read so far, and `all` is the number of all entries.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

struct ExportedFilterDb {
  std::string sst_file;
  std::string filter_db;
  bool from_block = false;
  // Why the filter block was not copied. Empty if `from_block` is true, or if
  // `from` was kKeys.
  std::string why_not_block;
  bool holds_prefixes = false;
  std::string partition_key;  // The part of a key that the filter holds.
  uint64_t num_keys = 0;      // Entries in the filter, as far as RocksDB knows.
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
// `out_dir`. ExportedFilterDbName gives the file names. `out_dir` must not be
// in the folder of a database. It is created if its parent exists.
//
// `column_family`: a name, or "" for all column families.
//
// `sync`: if true, `out_dir` afterwards holds the filters of exactly the live
// SST files. The export removes files that have the name of an exported
// Filter.db of this SSTable version but belong to no live SST file. It also
// removes temporary files of an export that was killed.
//
// With `sync`, a hidden file marks `out_dir` as the folder of this database.
// The mark records the options partition_key, prefixes and live_keys_only of
// the export. If `prefixes` is false, the mark also records whether `from` is
// ExportFrom::kKeys. In addition, it records from which SST file each filter
// was made. Without `overwrite`, the export keeps a filter that is complete,
// that has not changed since the mark recorded it, and whose SST file is the
// recorded one. The bits per key of this filter may differ from `options`. All
// other filters are made anew.
//
// With `sync`, each of these is an error:
// - `out_dir` is marked for another database.
// - `out_dir` holds SSTables of Cassandra.
// - A file that would be written or removed is not a regular file, for example
//   a symbolic link. The export leaves such a file unchanged.
// - Without `overwrite`: the filters in `out_dir` were made with other recorded
//   options.
// - Without `overwrite`: `out_dir` has filters of this SSTable version but no
//   mark.
//
// Without `sync`, it is an error if `out_dir` has a mark.
//
// Exports to the same `out_dir` wait for each other, also in other processes,
// unless `out_dir` is on NFS. An error with one SST file does not stop the
// export of the others. Returns false if there was any error. `*report` says
// what was done, even after an error.
CASSANDRA_BLOOM_EXPORT bool ExportFilterDbs(
    const std::string& db_dir, const std::string& column_family,
    const std::string& out_dir, bool sync, const FilterDbExportOptions& options,
    FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
