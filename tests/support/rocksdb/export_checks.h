// SPDX-License-Identifier: Apache-2.0

// Checks that the tests of the export share.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_

#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "cassandra_bloom/filter_db_export.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// The Filter.db that FilterDbBuilder makes from exactly these keys at 10 bits
// per key.
std::string Built(const std::set<std::string>& keys,
                  const std::string& sstable_version);

// Rows with the keys numbered `first` ... end - 1.
Rows NumberedRows(uint32_t first, uint32_t end);

// Puts the rows numbered `first` ... end - 1 and flushes them into one SST
// file.
void AddFile(TestDb* db, uint32_t first, uint32_t end);

std::set<std::string> KeysOf(const Rows& rows);
std::set<std::string> PrefixesOf(const std::set<std::string>& keys,
                                 const rocksdb::SliceTransform& extractor);

// The inode, size and modification time of each file in the folder. For LOG
// only the inode, because an open database may write to LOG at any time.
std::map<std::string, std::string> StateOf(const std::string& folder);

std::set<std::string> NamesIn(const std::string& folder);

// The names of the Filter.db files of the database's live SST files.
std::set<std::string> LiveFilterNames(
    const TestDb& db, const std::string& sstable_version = "nb");

// Expects that each live SST file has a Filter.db in the folder that contains
// all keys of the SST file.
void ExpectFiltersAreTheirs(const TestDb& db, const std::string& folder,
                            const std::string& sstable_version = "nb");

bool Eventually(const std::function<bool()>& is_so);

// Returns whether the folder contains the filters of the live SST files and no
// other files but its mark, and whether the mark records these filters.
bool Follows(const std::string& folder, const TestDb& db,
             const std::string& sstable_version = "nb");

// The path of the database's newest OPTIONS file.
std::string NewestOptionsOf(const TestDb& db);

// Replaces the listeners that the database's newest OPTIONS file names.
void WriteListeners(const TestDb& db, const std::string& listeners);

// The only SST file of the database.
std::string OnlySst(const TestDb& db);

// Exports an SST file and returns the bytes of the Filter.db. Throws an
// exception if the export fails.
std::string Exported(const std::string& sst,
                     const FilterDbExportOptions& options,
                     ExportedFilterDb* exported = nullptr);

// Returns the error of an export that must fail and leave no file.
std::string ExportError(const std::string& sst,
                        const FilterDbExportOptions& options);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_
