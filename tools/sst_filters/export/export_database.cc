// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/export_database.h"

#include <set>

#include "plugin/export/reconcile.h"
#include "tools/sst_filters/export/database_listing.h"

namespace cassandra_bloom {

bool ExportDatabase(const DatabaseToExport& database,
                    const std::string& out_dir, const ExportOptions& options,
                    FilterDbExportReport* report, std::string* error) {
  *report = {};
  const auto plan = PlanExport(options, error);
  if (!plan) {
    return false;
  }
  const ListSsts list = [&](LiveSsts* live, std::string* failure) {
    DatabaseListing listing;
    if (!ListDatabase(database.folder, database.db_paths,
                      database.column_family, &listing, failure)) {
      return false;
    }
    live->database = listing.database;
    live->files.assign(listing.files.begin(), listing.files.end());
    return true;
  };
  // Without a database, no folder is made.
  LiveSsts ignored;
  std::set<std::string> unreadable;
  return list(&ignored, error) &&
         Reconcile(*plan, out_dir, list, NeverStop, &unreadable, report, error);
}

}  // namespace cassandra_bloom
