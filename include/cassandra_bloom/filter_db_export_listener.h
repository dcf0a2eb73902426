// SPDX-License-Identifier: Apache-2.0

// A listener that keeps a folder of Filter.db files up to date with a running
// RocksDB database. In C++:
//
//   std::string error;
//   auto listener = cassandra_bloom::NewFilterDbExportListener(
//       "/var/lib/filters", "nb", &error);
//   if (listener == nullptr) {
//     // Report `error`. RocksDB crashes if a listener is null.
//   } else {
//     options.listeners.push_back(std::move(listener));
//   }
//
// In an options string or an OPTIONS file, in a process that has called
// register_cassandra_bloom (filter_policy.h):
//
//   listeners=cassandra_bloom_export(nb,/var/lib/filters)
//
// In the path, write each byte that is not a letter, a digit or one of "/._-"
// as "%" and two hexadecimal digits. For example, a colon is "%3A". RocksDB
// writes this spelling into OPTIONS files and reads it again. Several listeners
// have ":" between them. This longer spelling is also accepted:
//
//   listeners={{id=cassandra_bloom_export;out_dir=/var/lib/filters;
//               sstable_version=nb}}
//
// The braces are double because RocksDB would end a path in single braces at a
// ":".
//
// Before 11.8, RocksDB reads several listeners in an OPTIONS file as one. This
// library then finds all of its own listeners in the short spelling, but only
// the last one in the long spelling. Listeners of other kinds are lost, and the
// program has to add them itself.
//
// The listener refuses an unknown version and an unknown option. It refuses an
// `out_dir` that is empty, is not a folder, is in the folder of a database or
// holds SSTables. It accepts a folder that does not exist or cannot be written
// to, because the folder may be mounted later.
//
// Every SST file that a flush, a compaction or an ingestion adds to the
// database gets a Filter.db, as in ExportFilterDbs with `sync`. For example,
// 000123.sst gets nb-123-big-Filter.db. When the SST file is deleted, the
// listener removes its Filter.db. A thread of the listener does this work.
//
// A failure of the listener never makes an operation of the database fail. The
// listener counts failures and logs them in RocksDB's LOG or on stderr. A
// Filter.db that could not be written, or that somebody removed, is made at the
// next flush, compaction or ingestion. An SST file that could not be read is
// tried again after the next open and by ReconcileFilterDbExports. The command
// `filterdb doctor` says what is missing, and why.
//
// RocksDB sends no event for files that a database already has when it is
// opened, for imported files, and for files that a crash left behind. The
// listener looks for such files at its first event after an open.
// ReconcileFilterDbExports looks for them at any time. RocksDB also sends no
// event for files that DB::CompactFiles writes. These files get their Filter.db
// when a file that they replace is deleted. An open iterator may delay that
// deletion.
//
// A listener serves one database, in local files, and one folder. It marks the
// folder as that of its database. It refuses
// - a folder that is marked for another database, even if that database is a
//   copy of its own,
// - a folder whose filters hold other entries, for example because of
//   FilterDbExportOptions::partition_key,
// - a folder that has filters of the listener's SSTable version, but no mark.
//
// The command `filterdb export --sync --force` takes over folders of the last
// two kinds.
//
// The listener exports keys, never prefixes. It also exports the keys of
// deletions, which RocksDB shows since release 9.2. With an earlier release, an
// SST file that has deletions and no full filter of this library fails. It gets
// its Filter.db when a compaction rewrites it.
//
// Destroying the listener waits until all its work is done. If somebody else
// holds the lock of the folder, it waits 5 seconds at most. The work that is
// left is then done after the next open. RocksDB usually destroys the listener
// when the database is closed. After a fork, only the listener of the parent
// process goes on.
//
// All functions may be called in any thread. No pointer may be null.

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

// Returns a listener for options.listeners. `out_dir` must not be in the folder
// of a database and must not hold SSTables. It is created as soon as its parent
// exists. `sstable_version` is for example "nb". If these settings cannot work,
// returns nullptr and sets `*error`.
CASSANDRA_BLOOM_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener>
NewFilterDbExportListener(const std::string& out_dir,
                          const std::string& sstable_version,
                          std::string* error);

// Makes `out_dir` hold exactly the Filter.db files of the live SST files of
// `db`, a database that is open in this process. If the database has a listener
// of this library, first waits until the listener's work is done. Must not be
// called from an event of a listener. For a database that may be closed, call
// ExportFilterDbs with `sync` instead. Like the functions of
// filter_db_export.h, only in librocksdb_cassandra_bloom.a.
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
// `listener` is not a listener of this library. May be called in any thread.
// DB::GetDBOptions returns the listeners of a database.
CASSANDRA_BLOOM_EXPORT bool GetFilterDbExportCounts(
    const ROCKSDB_NAMESPACE::EventListener& listener,
    FilterDbExportCounts* counts);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_LISTENER_H_
