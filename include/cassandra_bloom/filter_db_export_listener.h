// SPDX-License-Identifier: Apache-2.0

// A folder of Filter.db files that follows a running RocksDB database.
//
//   std::string error;
//   options.listeners.push_back(cassandra_bloom::NewFilterDbExportListener(
//       "/var/lib/filters", "nb", &error));
//
// or, after register_cassandra_bloom, in any options string or OPTIONS file:
//
//   listeners=cassandra_bloom_export(nb,/var/lib/filters)
//
// In the path "%3A" is a colon, and so on for any byte that has a meaning
// there. RocksDB writes the listener so into OPTIONS files, and reads it again,
// beside other listeners, too, with ":" between them. The spelling
//
//   listeners={{id=cassandra_bloom_export;out_dir=/var/lib/filters;
//               sstable_version=nb}}
//
// is read as well. (In single braces RocksDB would end a path at a `:`, for it
// takes that for the end of a listener.) Before 11.8 RocksDB takes several
// listeners in an OPTIONS file for one: those of this kind are read
// nevertheless, though of two in the second spelling only the last one, and
// those of others are not, so that a program has to add them itself.
//
// Refused are an empty out_dir, one that is no folder, is in the folder of a
// database or holds SSTables, an unknown version and an unknown option. A
// folder that is not there, or cannot be written to, is not refused: it may be
// mounted later.
//
// Every SST file that is flushed, compacted or ingested gets its Filter.db, as
// by ExportFilterDbs with `sync`, named "nb-123-big-Filter.db" for 000123.sst,
// and it goes when the SST file goes. The work is done in a thread of the
// listener's own. Whatever fails is logged, in RocksDB's LOG or on stderr, and
// counted, and never fails the database. What the folder could not take, and
// what somebody removed from it, is made up for at the next flush, compaction
// or ingestion; an SST file that could not be read is tried again by
// ReconcileFilterDbExports and after an open. `filterdb doctor` says what is
// missing, and why.
//
// RocksDB sends no event for files that are there before it, such as those that
// a database has when it is opened, for those that an import brings, and for
// the strays of a crash. The listener looks for them at its first event after
// an open; ReconcileFilterDbExports does so at any time. Files that
// DB::CompactFiles writes come without an event, too: they get theirs when one
// of those that they replace is deleted, which an open iterator may put off.
//
// A listener serves one database, in local files, and one folder, and the
// folder is marked as that of this database: another one, a copy of it
// included, is refused, and so is a folder of filters that hold other entries
// (as by FilterDbExportOptions::partition_key). Destroying the listener, which
// usually the database does when it is closed, takes until what it was told is
// done. After a fork only the parent's goes on.

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

// For options.listeners. `out_dir` may not be in the folder of a database, nor
// hold SSTables; it is created as soon as its parent is there.
// `sstable_version`: as "nb". nullptr and `*error` if it cannot work so.
CASSANDRA_BLOOM_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener>
NewFilterDbExportListener(const std::string& out_dir,
                          const std::string& sstable_version,
                          std::string* error);

// Makes `out_dir` hold exactly the Filter.db files of the live SST files of a
// database that is open in this process, as ExportFilterDbs with `sync` does
// for one that need not be. Waits for the listener of the database, if it has
// one. Not to be called from an event of a listener.
CASSANDRA_BLOOM_EXPORT bool ReconcileFilterDbExports(
    ROCKSDB_NAMESPACE::DB* db, const std::string& out_dir,
    const std::string& sstable_version, FilterDbExportReport* report,
    std::string* error);

struct FilterDbExportCounts {
  uint64_t exported = 0;
  uint64_t removed = 0;
  uint64_t failed = 0;
};

// What a listener has done so far, in any thread. False if it is not one of
// these. (A database's listeners are in DB::GetDBOptions.)
CASSANDRA_BLOOM_EXPORT bool GetFilterDbExportCounts(
    const ROCKSDB_NAMESPACE::EventListener& listener,
    FilterDbExportCounts* counts);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_LISTENER_H_
