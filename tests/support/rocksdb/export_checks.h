// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"
#include "tools/export/export_sst.h"

namespace cassandra_bloom::testing {

// An export writes this file beside the filters, first under a temporary name,
// which begins with this name.
constexpr char kMark[] = ".cassandra_bloom_database";

// Flushes the rows of NumberedRows(first, end) into one SST file.
void AddFile(TestDb* db, uint32_t first, uint32_t end);

// Returns the inode, size and time of each file. Returns only the inode of the
// file LOG, because an open database may write to LOG at any time.
std::map<std::string, std::string> StateOf(const std::string& folder);

// Leaves out kMark. Returns no names if there is no folder.
std::set<std::string> NamesIn(const std::string& folder);

// Replaces an option in the database's newest OPTIONS file.
void WriteOption(const TestDb& db, const std::string& name,
                 const std::string& value);

std::string OnlySst(const TestDb& db);

// Exports one SST file. Returns the content of the Filter.db, or throws
// std::runtime_error if the export fails.
std::string Exported(const std::string& sst, const ExportOptions& options,
                     ExportedFilterDb* exported = nullptr);

// Exports each SST file alone, and compares it with the Filter.db of its name.
// Returns the name of a Filter.db that differs, or "". It may lack keys of the
// SST file. A missing Filter.db is not wrong. One is left out if its SST file
// is gone, or is not finished.
std::string WrongFilter(const std::string& db, const std::string& folder);

// Returns what is wrong with the filters in the folder. Returns an empty string
// if the folder has exactly those of the live SST files.
std::string WrongExports(rocksdb::DB* db, const std::string& folder);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_EXPORT_CHECKS_H_
