// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_EXPORT_DATABASE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_EXPORT_DATABASE_H_

#include <string>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_sst.h"

namespace cassandra_bloom {

// A database that need not be open in this process.
struct DatabaseToExport {
  std::string folder;
  // All folders in DBOptions::db_paths and ColumnFamilyOptions::cf_paths of the
  // database, in any order. The folder of the database may be among them. They
  // must be given because no file of a database names them. Each SST file is
  // searched for in all of them, by its number and its size.
  std::vector<std::string> db_paths;
  std::string column_family;  // A name, or "" for all column families.
};

// Does what ReconcileFilterDbExports does for an open database, with these
// options. Another process may be writing to the database.
bool ExportDatabase(const DatabaseToExport& database,
                    const std::string& out_dir, const ExportOptions& options,
                    FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_EXPORT_DATABASE_H_
