// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/database_listing.h"

#include <rocksdb/metadata.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include "plugin/filter_db/read_file.h"
#include "tools/sst_filters/export/read_only_env.h"
#include "tools/sst_filters/export/recorded_options.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Status;

namespace {

ListedSst ToListedSst(const LiveFileMetaData& file) {
  ListedSst sst;
  static_cast<LiveSst&>(sst) = ToLiveSst(file);
  sst.column_family = file.column_family_name;
  sst.level = file.level;
  return sst;
}

// Looks for the file in all folders, because no file of a database names its
// db_paths and cf_paths. Compares the size, because another database may have a
// file of the same name, and a copy may be incomplete.
void FindSst(const std::vector<std::string>& folders,
             const LiveFileMetaData& file, ListedSst* sst) {
  sst->path = folders[0] + file.name;
  for (const std::string& folder : folders) {
    const std::string path = folder + file.name;
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      continue;
    }
    const auto size = static_cast<uint64_t>(status.st_size);
    if (size == file.size) {
      sst->path = path;
      sst->error.clear();
      return;
    }
    if (sst->error.empty()) {
      sst->path = path;
      sst->error = path + ": has " + std::to_string(size) +
                   " bytes, but the MANIFEST says " +
                   std::to_string(file.size) +
                   ": it was truncated, or it is another file with this number "
                   "and the right one is in a folder of db_paths or cf_paths "
                   "that was not given";
    }
  }
}

Status OpenAndList(const RecordedOptions& recorded, const std::string& db_dir,
                   const std::vector<std::string>& column_families,
                   const std::vector<std::string>& folders,
                   DatabaseListing* live) {
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : column_families) {
    descriptors.emplace_back(name, recorded.ForListing(name));
    live->column_families.insert(name);
  }
  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> db;
  const Status status =
      OpenReadOnly(recorded.db, db_dir, descriptors, &handles, &db);
  if (!status.ok()) {
    return status;
  }
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  for (const LiveFileMetaData& file : files) {
    live->files.push_back(ToListedSst(file));
    FindSst(folders, file, &live->files.back());
  }
  live->database = DatabaseOf(db.get());
  for (ColumnFamilyHandle* const handle : handles) {
    db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  return status;
}

// Returns the SST files in these folders that `live` does not contain.
std::vector<std::string> UnlistedSsts(const DatabaseListing& live,
                                      const std::vector<std::string>& folders) {
  std::set<std::string> known;
  for (const ListedSst& sst : live.files) {
    known.insert(sst.path);
  }
  std::vector<std::string> unlisted;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    const auto is_sst = [](const std::string& name) {
      return NumberOfSst(name).has_value();
    };
    for (const std::string& name : NamesIn(folder, is_sst, &ignored)) {
      const std::string path = folder + "/" + name;
      if (known.insert(path).second) {
        unlisted.push_back(path);
      }
    }
  }
  return unlisted;
}

// Returns true if RocksDB seems to have dropped files without an error. A
// RocksDB with assertions refuses SST files that are not in the comparator's
// order. Since 9.6 that error is lost, and the column family seems to have no
// files (VersionEditHandler::MaybeCreateVersionBeforeApplyEdit, 11.8).
bool FilesWereRefused(const RecordedOptions& recorded,
                      const DatabaseListing& live,
                      const std::vector<std::string>& folders) {
  const auto has_file = [&](const std::string& family) {
    return std::any_of(
        live.files.begin(), live.files.end(),
        [&](const ListedSst& file) { return file.column_family == family; });
  };
  return std::any_of(live.column_families.begin(), live.column_families.end(),
                     [&](const std::string& family) {
                       return !has_file(family) &&
                              !recorded.UnknownComparatorOf(family).empty();
                     }) &&
         !UnlistedSsts(live, folders).empty();
}

// Lists the live files. If that fails and unknown comparators may be the
// reason, appends their names to `*unknown_order`.
Status TryToList(const std::string& db_dir,
                 const std::vector<std::string>& folders, DatabaseListing* live,
                 std::string* unknown_order) {
  const RecordedOptions recorded = LoadRecordedOptions(db_dir);
  std::vector<std::string> names;
  Status status = DB::ListColumnFamilies(recorded.db, db_dir, &names);
  if (!status.ok()) {
    return status;
  }
  status = OpenAndList(recorded, db_dir, names, folders, live);
  if (status.ok() && FilesWereRefused(recorded, *live, folders)) {
    status = Status::Corruption("its SST files cannot be listed");
  }
  if (status.IsCorruption()) {
    for (const auto& comparator : *recorded.named_comparators) {
      *unknown_order += " '" + comparator.first + "'";
    }
  }
  return status;
}

// Lists the live files. Tries several times, because a database in use may
// change its MANIFEST or drop a column family while it is being opened.
bool List(const std::string& db_dir, const std::vector<std::string>& folders,
          DatabaseListing* live, std::string* error) {
  constexpr int kAttempts = 5;
  Status status;
  std::string unknown_order;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    *live = {};
    unknown_order.clear();
    status = TryToList(db_dir, folders, live, &unknown_order);
    if (status.ok()) {
      return true;
    }
    if (attempt < kAttempts) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 * attempt));
    }
  }
  *error =
      db_dir + ": cannot be opened as a RocksDB database: " + status.ToString();
  if (!unknown_order.empty()) {
    *error +=
        ". It has keys in the order of the comparator" + unknown_order +
        ", which is not known here and is not bytewise, or its MANIFEST is "
        "damaged. Filters can be exported from single SST files, or from the "
        "program that has the comparator, while the database is open there: "
        "ReconcileFilterDbExports in cassandra_bloom/filter_db_export.h";
  } else if (status.ToString().find("does not match existing comparator") !=
             std::string::npos) {
    *error +=
        ". The name of its comparator is read from its latest OPTIONS file, "
        "which is missing or names another comparator: put the file back";
  }
  return false;
}

bool AreFolders(const std::vector<std::string>& folders, std::string* error) {
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      *error = folder +
               ": is not a folder, so it holds no SST files of the database";
      return false;
    }
  }
  return true;
}

// Returns `db_dir`, then the other folders in `db_paths`, each once.
std::vector<std::string> SstFoldersOf(
    const std::string& db_dir, const std::vector<std::string>& db_paths) {
  std::vector<std::string> folders = {db_dir};
  for (const std::string& path : db_paths) {
    const auto is_same = [&](const std::string& folder) {
      std::error_code error;
      return std::filesystem::equivalent(path, folder, error);
    };
    if (std::none_of(folders.begin(), folders.end(), is_same)) {
      folders.push_back(path);
    }
  }
  return folders;
}

std::string NoSuchColumnFamily(const std::string& db_dir,
                               const std::string& column_family,
                               const DatabaseListing& live) {
  std::string error =
      db_dir + ": has no column family '" + column_family + "'; it has";
  for (const std::string& known : live.column_families) {
    error += " '" + known + "'";
  }
  return error;
}

}  // namespace

std::optional<uint64_t> NumberOfSst(std::string_view path) {
  const std::string_view name = FileNameOf(path);
  const char* const end = name.data() + name.size();
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() &&
                 std::string_view(rest, static_cast<size_t>(end - rest)) ==
                     ".sst"
             ? std::optional<uint64_t>(number)
             : std::nullopt;
}

bool ListDatabase(const std::string& db_dir,
                  const std::vector<std::string>& db_paths,
                  const std::string& column_family, DatabaseListing* live,
                  std::string* error) {
  if (!AreFolders(db_paths, error) ||
      !List(db_dir, SstFoldersOf(db_dir, db_paths), live, error)) {
    return false;
  }
  if (!column_family.empty()) {
    if (live->column_families.count(column_family) == 0) {
      *error = NoSuchColumnFamily(db_dir, column_family, *live);
      return false;
    }
    live->column_families = {column_family};
    live->files.erase(std::remove_if(live->files.begin(), live->files.end(),
                                     [&](const ListedSst& file) {
                                       return file.column_family !=
                                              column_family;
                                     }),
                      live->files.end());
  }
  std::sort(live->files.begin(), live->files.end(),
            [](const ListedSst& a, const ListedSst& b) {
              return std::tie(a.column_family, a.level, a.number) <
                     std::tie(b.column_family, b.level, b.number);
            });
  return true;
}

}  // namespace cassandra_bloom
