// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/opened_listing.h"

#include <rocksdb/status.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Status;

namespace {

Status TryToOpen(const DatabaseToExamine& what, Env* env,
                 const std::shared_ptr<Cache>& cache, FilterWitness* witness,
                 Listing* listing) {
  listing->recorded = LoadRecordedOptions(what.db);
  auto db_options = listing->recorded.db;
  db_options.env = env;
  db_options.max_open_files = 200;
  std::vector<std::string> names;
  Status status = DB::ListColumnFamilies(db_options, what.db, &names);
  if (!status.ok()) {
    return status;
  }
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    const auto& options =
        listing->families.emplace(name, OptionsOf(listing->recorded, name))
            .first->second;
    descriptors.emplace_back(
        name, options.ForReading(listing->recorded, name, cache, witness));
  }
  std::vector<ColumnFamilyHandle*> handles;
  status =
      OpenReadOnly(db_options, what.db, descriptors, &handles, &listing->db);
  if (status.ok()) {
    for (size_t i = 0; i < names.size(); ++i) {
      listing->handles[names[i]] = handles[i];
    }
    listing->db->GetLiveFilesMetaData(&listing->files);
    std::sort(listing->files.begin(), listing->files.end(),
              [](const LiveFileMetaData& a, const LiveFileMetaData& b) {
                return std::tie(a.column_family_name, a.level, a.smallestkey,
                                a.file_number) <
                       std::tie(b.column_family_name, b.level, b.smallestkey,
                                b.file_number);
              });
  }
  return status;
}

}  // namespace

// Tries several times, because a database in use may change its MANIFEST or
// drop a column family while it is being opened. It also writes the OPTIONS
// file a moment after it has created a column family.
Listing OpenListing(const DatabaseToExamine& what, Env* env,
                    const std::shared_ptr<Cache>& cache,
                    FilterWitness* witness) {
  constexpr int kAttempts = 20;
  Status status;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    Listing listing;
    status = TryToOpen(what, env, cache, witness, &listing);
    const bool are_all_known = std::all_of(
        listing.families.begin(), listing.families.end(),
        [&](const auto& family) {
          return listing.recorded.column_families.count(family.first) > 0;
        });
    if (status.ok() && (are_all_known || attempt == kAttempts)) {
      for (const std::string& name : what.column_families) {
        if (listing.families.count(name) == 0) {
          throw Unusable(what.db + ": has no column family '" + name + "'");
        }
      }
      return listing;
    }
    // What is no database has no file CURRENT, now or later.
    if (!status.ok() && (attempt >= kAttempts / 4 ||
                         env->FileExists(what.db + "/CURRENT").IsNotFound())) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw Unusable(what.db + ": cannot be opened as a RocksDB database: " +
                 status.ToString());
}

}  // namespace cassandra_bloom::tools
