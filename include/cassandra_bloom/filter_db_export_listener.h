// SPDX-License-Identifier: Apache-2.0

// A listener that keeps a folder of Filter.db files up to date with a running
// RocksDB database.
//
//   std::string error;
//   options.listeners.push_back(cassandra_bloom::NewFilterDbExportListener(
//       "/var/lib/filters", "nb", &error));
//
// or, in a process that knows the name (register_cassandra_bloom in
// filter_policy.h), in any options string or OPTIONS file:
//
//   listeners=cassandra_bloom_export(nb,/var/lib/filters)
//
// In the path, "%3A" stands for a colon; every other byte that has a meaning in
// these strings is written in the same way. RocksDB writes the listener into
// OPTIONS files in this spelling and reads it again, also next to other
// listeners, with ":" between them. The spelling
//
//   listeners={{id=cassandra_bloom_export;out_dir=/var/lib/filters;
//               sstable_version=nb}}
//
// is read as well. (In single braces RocksDB would end a path at a `:`, which
// it takes for the end of a listener.) Before 11.8, RocksDB reads several
// listeners in an OPTIONS file as one. This library still reads all of its own
// listeners, but of several in the second spelling only the final one.
// Listeners of other kinds are not read; a program has to add them itself.
//
// These are refused: an empty out_dir, an out_dir that is not a folder, that is
// in the folder of a database or that holds SSTables, an unknown version and an
// unknown option. A folder that does not exist or cannot be written to is not
// refused, because it may be mounted later.
//
// Every SST file that is flushed, compacted or ingested gets its Filter.db, as
// by ExportFilterDbs with `sync`, named "nb-123-big-Filter.db" for 000123.sst.
// When the SST file is deleted, so is its Filter.db. A thread of the listener
// does the work. Failures are logged, in RocksDB's LOG or on stderr, and
// counted; they never fail the database. A Filter.db that could not be written
// to the folder, or that was removed from it, is made at the next flush,
// compaction or ingestion. An SST file that could not be read is tried again by
// ReconcileFilterDbExports and after an open. `filterdb doctor` says what is
// missing, and why.
//
// RocksDB sends no event for files that a database already has when it is
// opened, for files of an import, and for files that a crash leaves behind. The
// listener looks for all of these at its first event after an open;
// ReconcileFilterDbExports does so at any time. Files that DB::CompactFiles
// writes come without an event, too. They get their Filter.db when one of the
// files that they replace is deleted; an open iterator may delay that.
//
// A listener serves one database, in local files, and one folder, and marks the
// folder as that of this database. It refuses a folder that is marked for
// another database, even a copy of this one, a folder of filters that hold
// other entries (as by FilterDbExportOptions::partition_key), and a folder
// without a mark that has filters of its version. `filterdb export --sync
// --force` takes folders of the last two kinds over. The listener exports keys,
// never prefixes. Destroying the listener, which usually happens when the
// database is closed, waits until all its work is done. After a fork, only the
// parent's listener goes on.

#ifndef CASSANDRA_BLOOM_FILTER_DB_EXPORT_LISTENER_H_
#define CASSANDRA_BLOOM_FILTER_DB_EXPORT_LISTENER_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_db_export.h"

namespace ROCKSDB_NAMESPACE {
class DB;
class EventListener;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

// Makes a listener for options.listeners. `out_dir` must not be in the folder
// of a database and must not hold SSTables; it is created as soon as its parent
// exists. `sstable_version`: for example "nb". Returns nullptr, with `*error`,
// if these settings cannot work.
CASSANDRA_BLOOM_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener>
NewFilterDbExportListener(const std::string& out_dir,
                          const std::string& sstable_version,
                          std::string* error);

// Makes `out_dir` hold exactly the Filter.db files of the live SST files of a
// database that is open in this process. (ExportFilterDbs with `sync` does so
// for a database that need not be open.) Waits for the listener of the
// database, if it has one. Must not be called from an event of a listener.
CASSANDRA_BLOOM_EXPORT bool ReconcileFilterDbExports(
    ROCKSDB_NAMESPACE::DB* db, const std::string& out_dir,
    const std::string& sstable_version, FilterDbExportReport* report,
    std::string* error);

struct FilterDbExportCounts {
  uint64_t exported = 0;
  uint64_t removed = 0;
  uint64_t failed = 0;
};

// Gets the counts of what `listener` has done so far; may be called in any
// thread. Returns false if it is not a listener of this library.
// (DB::GetDBOptions returns the listeners of a database.)
CASSANDRA_BLOOM_EXPORT bool GetFilterDbExportCounts(
    const ROCKSDB_NAMESPACE::EventListener& listener,
    FilterDbExportCounts* counts);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_LISTENER_H_
