// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/open_database.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "filterdb/commands/output.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FileOptions;
using ROCKSDB_NAMESPACE::FileSystem;
using ROCKSDB_NAMESPACE::FileSystemWrapper;
using ROCKSDB_NAMESPACE::FSRandomAccessFile;
using ROCKSDB_NAMESPACE::IODebugContext;
using ROCKSDB_NAMESPACE::IOOptions;
using ROCKSDB_NAMESPACE::IOStatus;
using ROCKSDB_NAMESPACE::Status;

namespace {

// RocksDB registers this file system since 7.1 (env/file_system.cc).
std::shared_ptr<FileSystem> ReadOnlyFileSystem() {
  std::shared_ptr<FileSystem> file_system;
  const Status status = FileSystem::CreateFromString(
      ConfigOptions(), "ReadOnlyFileSystem", &file_system);
  if (!status.ok() || file_system == nullptr) {
    throw Unusable("RocksDB has no read-only file system: " +
                   status.ToString());
  }
  return file_system;
}

// Only reads local files. Creating, changing or removing a file fails, because
// even a read-only open may remove *.trash files (RocksDB 7.8). Hides
// write-ahead logs, so that an open does not load them. Looks for SST files in
// `folders`, too.
class DatabaseFileSystem final : public FileSystemWrapper {
 public:
  explicit DatabaseFileSystem(std::vector<std::string> folders)
      : FileSystemWrapper(ReadOnlyFileSystem()), folders_(std::move(folders)) {}

  const char* Name() const override { return "CassandraBloomDatabase"; }

  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* names,
                       IODebugContext* debug) override {
    IOStatus status = target()->GetChildren(dir, options, names, debug);
    names->erase(std::remove_if(names->begin(), names->end(),
                                [](const std::string& name) {
                                  return EndsWith(name, ".log");
                                }),
                 names->end());
    return status;
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions& options,
                       uint64_t* size, IODebugContext* debug) override {
    return target()->GetFileSize(Found(path), options, size, debug);
  }
  IOStatus NewRandomAccessFile(const std::string& path,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    return target()->NewRandomAccessFile(Found(path), options, file, debug);
  }

 private:
  std::string Found(const std::string& path) const {
    return EndsWith(path, ".sst") ? FindSst(path, folders_) : path;
  }

  const std::vector<std::string> folders_;
};

DBOptions OptionsForReading(const std::string& db_dir, Env* env) {
  DBOptions options;
  // A database has at most four paths. With fewer here, RocksDB would read
  // beyond the end of the list if an SST file were in a later path. Only the
  // first one is known, because no file of a database names its db_paths.
  // RocksDB's errors name the others.
  options.db_paths = {{db_dir, /*target_size=*/0}};
  options.db_paths.resize(4, {db_dir + "/a folder of db_paths or cf_paths that "
                                       "--db-path has to name",
                              /*target_size=*/0});
  options.env = env;
  // Files may disappear while the database is opened. That must not be an
  // error.
  options.paranoid_checks = false;
  options.max_open_files = 200;
  // With more than one thread, RocksDB starts threads to open SST files. The
  // process ends if there is no memory for a thread
  // (VersionBuilder::Rep::LoadTableHandlers).
  options.max_file_opening_threads = 1;
  options.skip_stats_update_on_db_open = true;
  return options;
}

// DB::OpenForReadOnly, whose last parameter is another type from RocksDB 11 on.
Status OpenForReadOnly(const DBOptions& options, const std::string& db_dir,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       OpenedDatabase* opened) {
#if ROCKSDB_MAJOR >= 11
  return DB::OpenForReadOnly(options, db_dir, families, &opened->handles,
                             &opened->db);
#else
  DB* db = nullptr;
  const Status status =
      DB::OpenForReadOnly(options, db_dir, families, &opened->handles, &db);
  opened->db.reset(db);
  return status;
#endif
}

Status TryToOpen(const DatabaseOnDisk& what,
                 const std::shared_ptr<FilterWitness>& witness,
                 OpenedDatabase* opened) {
  constexpr size_t kBytesOfCache = 32 << 20;
  opened->env = ROCKSDB_NAMESPACE::NewCompositeEnv(
      std::make_shared<DatabaseFileSystem>(what.db_paths));
  DBOptions db_options = OptionsForReading(what.folder, opened->env.get());
  if (witness != nullptr) {
    db_options.listeners.push_back(witness);
  }
  std::vector<std::string> names;
  Status status = DB::ListColumnFamilies(db_options, what.folder, &names);
  if (!status.ok()) {
    return status;
  }
  const auto families = LoadOptions(what.folder, names, opened->env.get());
  const auto cache = ROCKSDB_NAMESPACE::NewLRUCache(kBytesOfCache);
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    const FamilyOptions& options = families.at(name);
    descriptors.emplace_back(
        name,
        options.ForReading(witness != nullptr && options.not_asked.empty()
                               ? witness->Witnessed(options.table.filter_policy)
                               : nullptr,
                           cache));
  }
  status = OpenForReadOnly(db_options, what.folder, descriptors, opened);
  if (!status.ok()) {
    return status;
  }
  const auto& wanted = what.column_families;
  for (size_t i = 0; i < names.size(); ++i) {
    if (wanted.empty() ||
        std::count(wanted.begin(), wanted.end(), names[i]) > 0) {
      opened->families.push_back(
          {names[i], families.at(names[i]), opened->handles[i], {}});
      opened->db->GetColumnFamilyMetaData(opened->handles[i],
                                          &opened->families.back().files);
    }
  }
  return status;
}

bool HasAllColumnFamilies(const OpenedDatabase& opened,
                          const DatabaseOnDisk& what, std::string* error) {
  for (const std::string& name : what.column_families) {
    if (std::none_of(
            opened.families.begin(), opened.families.end(),
            [&](const OpenedFamily& family) { return family.name == name; })) {
      *error = what.folder + ": has no column family '" + name + "'; it has";
      for (const auto* const handle : opened.handles) {
        *error += " '" + handle->GetName() + "'";
      }
      return false;
    }
  }
  return true;
}

}  // namespace

std::string FindSst(const std::string& path,
                    const std::vector<std::string>& folders,
                    std::optional<uint64_t> size) {
  std::vector<std::string> candidates = {path};
  for (const std::string& folder : folders) {
    candidates.push_back(folder + "/" + std::string(FileNameOf(path)));
  }
  std::string found = path;
  for (const std::string& candidate : candidates) {
    std::error_code missing;
    const uint64_t size_of_file =
        std::filesystem::file_size(candidate, missing);
    if (!missing) {
      found = candidate;
      if (!size || size_of_file == *size) {
        break;
      }
    }
  }
  return found;
}

// Tries several times, because a database in use may change its MANIFEST or
// drop a column family while it is being opened.
std::unique_ptr<OpenedDatabase> OpenDatabase(
    const DatabaseOnDisk& what, const std::shared_ptr<FilterWitness>& witness,
    std::string* error) {
  constexpr int kAttempts = 5;
  Status status;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    auto opened = std::make_unique<OpenedDatabase>();
    status = TryToOpen(what, witness, opened.get());
    if (status.ok()) {
      return HasAllColumnFamilies(*opened, what, error) ? std::move(opened)
                                                        : nullptr;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  *error = what.folder +
           ": cannot be opened as a RocksDB database: " + status.ToString();
  return nullptr;
}

}  // namespace cassandra_bloom::tools
