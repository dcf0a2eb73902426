// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_

#include <rocksdb/listener.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_sst.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Throws std::runtime_error if the listener cannot be created.
std::shared_ptr<rocksdb::EventListener> NewListener(const std::string& out_dir);

// Returns the content of a Filter.db with these keys at 10 bits per key.
std::string Built(const std::set<std::string>& keys,
                  const std::string& sstable_version);

// Returns rows with the numbered keys `first` to `end` - 1.
Rows NumberedRows(uint32_t first, uint32_t end);

// Flushes the rows of NumberedRows(first, end) into one SST file.
void AddFile(TestDb* db, uint32_t first, uint32_t end);

std::set<std::string> KeysOf(const Rows& rows);

// Returns the inode, size and time of each file. Returns only the inode of the
// file LOG, because an open database may write to LOG at any time.
std::map<std::string, std::string> StateOf(const std::string& folder);

std::set<std::string> NamesIn(const std::string& folder);

// Returns the names of the Filter.db files for the database's live SST files.
std::set<std::string> LiveFilterNames(const TestDb& db);

// Exports each live SST file alone, and returns what is wrong with the filters
// in the folder. Returns an empty string if the folder has exactly these.
std::string WrongExports(rocksdb::DB* db, const std::string& folder);

bool Eventually(const std::function<bool()>& is_so);

// Returns true if the folder has exactly the filters of the live SST files, and
// if .cassandra_bloom_database in the folder records these filters.
bool Follows(const std::string& folder, const TestDb& db);

std::string NewestOptionsOf(const TestDb& db);

// Replaces the option `listeners` in the database's newest OPTIONS file.
void WriteListeners(const TestDb& db, const std::string& listeners);

std::string OnlySst(const TestDb& db);

// Exports one SST file.
bool ExportFilterDb(const std::string& sst, const std::string& filter_db,
                    const ExportOptions& options, ExportedFilterDb* exported,
                    std::string* error);

// Returns the content of the Filter.db. Throws if the export fails.
std::string Exported(const std::string& sst, const ExportOptions& options,
                     ExportedFilterDb* exported = nullptr);

// Returns the error of an export that must fail and leave no file.
std::string ExportError(const std::string& sst, const ExportOptions& options);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_
