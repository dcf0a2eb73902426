// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_DATABASE_LISTING_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_DATABASE_LISTING_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/export/live_ssts.h"

namespace cassandra_bloom {

// An SST file of a database that is not open in this process.
struct ListedSst : LiveSst {
  std::string column_family;
  int level = 0;
};

struct DatabaseListing {
  std::string database;  // As in LiveSsts.
  std::vector<ListedSst> files;
  std::set<std::string> column_families;
};

// Returns the number in a path like "db/000123.sst". Returns nullopt for other
// paths.
std::optional<uint64_t> NumberOfSst(std::string_view path);

// Lists the live SST files in the order of column family, level and number.
// `db_paths` are other folders that may have SST files. `column_family` is a
// name, or "" for all. Another process may be writing to the database.
bool ListDatabase(const std::string& db_dir,
                  const std::vector<std::string>& db_paths,
                  const std::string& column_family, DatabaseListing* live,
                  std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_DATABASE_LISTING_H_
