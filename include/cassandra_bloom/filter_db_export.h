// SPDX-License-Identifier: Apache-2.0

// Keeps a folder of Filter.db files up to date with a RocksDB database that is
// open in this process: one Filter.db for each live SST file. The command
// `sst_filters export` does the same for a database that is open elsewhere or
// closed.
//
// The export copies the filter block of an SST file if it is a full filter of
// this library that holds exactly the keys. Such a block already is a
// Filter.db. (With the policy's option blocks=rocksdb, the block has five more
// bytes at its end, which are not copied.) Otherwise the export builds a new
// filter of 10 bits per key from the keys of the SST file, also from the keys
// of deletions: an older SST file may still have the deleted row. RocksDB
// before release 9.2 does not show the keys of deletions. With such a release,
// building a filter from keys fails if the SST file has deletions of keys. A
// deletion of a range has no key, so no filter holds it. If the policy's filter
// holds a part of each key (CassandraBloomOptions::partition_key), the
// Filter.db holds the same part.
//
// The export only reads a database. It creates, changes and removes nothing in
// the database's folders. It sees only entries in SST files, because it does
// not read the write-ahead log. It can read keys only if the database has one
// of RocksDB's bytewise comparators, without timestamps.
//
// All functions may be called in any thread. No pointer may be null. `*error`
// is set only if a function fails. Errors are sentences that name the file and
// the remedy. All exports fail if the process runs another release of RocksDB
// (major.minor) than the one this library was compiled for.

#ifndef CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
#define CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"

namespace ROCKSDB_NAMESPACE {
class DB;
class EventListener;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

struct ExportedFilterDb {
  std::string sst_file;     // The path of the SST file.
  std::string filter_db;    // The path of its Filter.db.
  bool from_block = false;  // The filter block was copied.
  // Why the filter block was not copied. Empty if `from_block` is true, or if
  // the filter was to be made from keys.
  std::string why_not_block;
  std::string partition_key;  // The part of a key that the filter holds.
  uint64_t num_keys = 0;      // Entries in the filter, as far as RocksDB knows.
  uint64_t num_range_deletions = 0;
  int num_probes = 0;
  uint32_t num_words = 0;
};

struct FilterDbExportReport {
  std::vector<ExportedFilterDb> exported;
  std::vector<std::string> kept;     // Paths of filters that were up to date.
  std::vector<std::string> removed;  // Paths of filters that were removed.
  std::vector<std::string> errors;   // One sentence per SST file that failed.
};

// Makes `out_dir` hold the filters of exactly the live SST files of `db`, at
// once and in this thread. Creates `out_dir` if its parent exists. The filter
// of 000123.sst is nb-123-big-Filter.db for `sstable_version` "nb", and
// da-123-bti-Filter.db for "da", as in Cassandra. Must not be called from an
// event of a listener. Only librocksdb_cassandra_bloom.a has this function, not
// the shared library.
//
// Filters of this SSTable version that belong to no live SST file are removed,
// and so is what a killed export has left. A hidden file in `out_dir` marks it
// as the folder of this database. For each filter, it records from which SST
// file and with which options the filter was made, and the size and time of the
// filter. A filter for which this record is right is kept. All others are made
// anew. After a failure, a second call does what is left.
//
// Refuses a folder that is marked for another database, even for one that is a
// copy, a folder that has filters of this SSTable version but no mark, and a
// folder with SSTables of Cassandra.
//
// Exports to the same `out_dir` wait for each other, also in other processes,
// unless `out_dir` is on NFS. An SST file that cannot be read does not stop the
// export of the others. Returns false if there was any error. `*report` says
// what was done, even after an error.
CASSANDRA_BLOOM_EXPORT bool ReconcileFilterDbExports(
    ROCKSDB_NAMESPACE::DB* db, const std::string& out_dir,
    const std::string& sstable_version, FilterDbExportReport* report,
    std::string* error);

// Returns a listener for DBOptions::listeners. It makes `out_dir` hold the
// filters of the live SST files, like ReconcileFilterDbExports, soon after each
// flush, compaction, ingestion and deletion of an SST file. A thread of the
// listener does this work. The listener serves one database, in local files,
// and one folder, which may come into being later. If the version is unknown,
// or if `out_dir` is empty or has a character that is not allowed below,
// returns nullptr and sets `*error`. RocksDB crashes if a listener is null.
//
// In an options string or an OPTIONS file, in a process that has called
// register_cassandra_bloom (filter_policy.h), the same listener is:
//
//   listeners=cassandra_bloom_export(nb,/var/lib/filters)
//
// The path may have only letters, digits and the characters "/._-", because
// others have a meaning in options strings. Several listeners have ":" between
// them. Before 11.8, RocksDB reads several listeners in an OPTIONS file as one.
// Of these, only the first one of this library works, and the program has to
// add the others itself.
//
// A failure of the listener never makes an operation of the database fail. The
// listener counts failures and logs them in RocksDB's LOG or on stderr. What
// has failed is tried again after the next event. An SST file that could not be
// read is tried again at most once a minute. `sst_filters export --dry-run`
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

struct FilterDbExportCounts {
  uint64_t exported = 0;  // Filters that were written.
  uint64_t removed = 0;   // Filters that were removed.
  uint64_t failed = 0;    // Failures. RocksDB's LOG or stderr has the reasons.
};

// Sets `*counts` to what `listener` has done so far. Returns false if
// `listener` is not a listener of this library. DB::GetDBOptions returns the
// listeners of a database.
CASSANDRA_BLOOM_EXPORT bool GetFilterDbExportCounts(
    const ROCKSDB_NAMESPACE::EventListener& listener,
    FilterDbExportCounts* counts);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
