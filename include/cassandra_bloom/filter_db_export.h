// SPDX-License-Identifier: Apache-2.0

// Writes a Filter.db for each SST file of a RocksDB database that is open in
// this process. The command `sst_filters export` does so for a database that is
// open elsewhere or closed.

#ifndef CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
#define CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"

namespace ROCKSDB_NAMESPACE {
class EventListener;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

// Returns a listener for DBOptions::listeners. When RocksDB has written or
// ingested an SST file, the listener copies the filter block of the file to a
// Filter.db in `out_dir`, before the database uses the file. When RocksDB has
// deleted an SST file, the listener removes its Filter.db. The Filter.db of
// 000123.sst is nb-123-big-Filter.db for `sstable_version` "nb", and
// da-123-bti-Filter.db for "da", as in Cassandra. `out_dir` is created if its
// parent exists. A hidden file in it says of which database it is.
//
// The listener copies only full filters of this library that hold exactly the
// keys, or the part of each key that CassandraBloomOptions::partition_key
// names. It says once why another filter is not copied. `sst_filters export`
// makes the Filter.db of every SST file, if need be from the keys.
//
// A new listener on an old database exports new files; `sst_filters export`
// does the others. It also makes the folder whole after a kill or an error, and
// shortens the hidden file, which grows by a line for each SST file. After
// RepairDB, a restore or DestroyDB (a new database at the same path) it is run
// first, because numbers are used again: a file that is then imported would
// stand beside an older filter of its number.
//
// A failure of the listener never makes an operation of the database fail. It
// is counted, and the first of several in a row is written to RocksDB's LOG or,
// if RocksDB has not named one yet, to stderr.
//
// The listener serves one database, in local files. Another database needs
// another folder, and so does one at the same path on another machine or in
// another container. The listener must not be among the listeners of
// CompactionServiceOptionsOverride, because the SST files of a remote
// compaction have other numbers.
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
// Returns nullptr and sets `*error` if the version is unknown or before "ma"
// (whose filters have other bits), if `out_dir` is empty or has another
// character, or if this process runs another release of RocksDB (major.minor)
// than the one this library was compiled for. RocksDB crashes if a listener is
// null.
CASSANDRA_BLOOM_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener>
NewFilterDbExportListener(const std::string& out_dir,
                          const std::string& sstable_version,
                          std::string* error);

struct FilterDbExportCounts {
  uint64_t exported = 0;  // Filters that were written.
  uint64_t removed = 0;   // Filters that were removed.
  uint64_t failed = 0;    // Failures.
};

// Sets `*counts` to what `listener` has done so far. May be called in any
// thread. Returns false if `listener` is not a listener of this library.
// DB::GetDBOptions returns the listeners of a database.
CASSANDRA_BLOOM_EXPORT bool GetFilterDbExportCounts(
    const ROCKSDB_NAMESPACE::EventListener& listener,
    FilterDbExportCounts* counts);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_EXPORT_H_
