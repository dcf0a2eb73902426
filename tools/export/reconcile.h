// SPDX-License-Identifier: Apache-2.0

// Makes a folder hold the filters of the live SST files of a database.
//
// Tested in tests/export/reconcile_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_EXPORT_RECONCILE_H_
#define CASSANDRA_BLOOM_TOOLS_EXPORT_RECONCILE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/export/export_sst.h"

namespace cassandra_bloom {

struct LiveSsts {
  std::string database;                   // DatabaseOf it.
  std::map<uint64_t, std::string> files;  // Paths by number.
  // The files of column families that are not to be exported.
  std::map<uint64_t, std::string> others;
  // The folders of the database, as far as they are known: no file of a
  // database names its db_paths.
  std::set<std::string> folders;
};

// Throws or returns the live SST files.
using ListSsts = std::function<LiveSsts()>;

struct ExportReport {
  std::vector<ExportedFilterDb> exported;
  std::vector<std::string> kept;     // Paths of filters that were up to date.
  std::vector<std::string> removed;  // Paths of filters that were removed.
  std::vector<std::string> errors;   // One sentence per SST file that failed.
};

// Keeps the filters that are right, and makes the others anew. Removes a filter
// if its SST file is neither live nor in a folder of the database. An SST file
// that is there but not live may be one that RocksDB has not added yet, and a
// listener has just written its filter. So that filter is kept if it is right,
// and otherwise made anew.
//
// If a listed file is gone, lists again. If it is still listed, removes no
// filter, because there is a folder that is not known. May be called again
// after any failure: it then does what is left.
//
// Returns true if every live SST file now has its filter. `*report` says what
// was done, even after an error.
bool Reconcile(const ExportPlan& plan, const std::string& out_dir,
               const ListSsts& list, ExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_EXPORT_RECONCILE_H_
