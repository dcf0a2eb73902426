#include "plugin/rocksdb/live_ssts.h"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <tuple>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/rocksdb/export_worker.h"
#include "plugin/rocksdb/read_only_env.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::DbPath;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Status;

namespace {

// No file of a database names its db_paths, other than its folder, and RocksDB
// reads beyond the end of this list if a file is in a path that is not on it.
// Four is the most that it allows.
std::vector<DbPath> PathsOf(const std::string& db_dir) {
  std::vector<DbPath> paths = {{db_dir, /*target_size=*/0}};
  for (int i = 1; i < 4; ++i) {
    paths.emplace_back(db_dir + "/unknown db_paths[" + std::to_string(i) + "]",
                       /*target_size=*/0);
  }
  return paths;
}

// Takes any options.
class NoListener final : public EventListener {
 protected:
  Status ConfigureOptions(
      const ConfigOptions&, const std::unordered_map<std::string, std::string>&,
      std::unordered_map<std::string, std::string>*) override {
    return Status::OK();
  }
};

// What of a database's options one must know to find its files.
struct KnownOptions {
  DBOptions db;
  std::map<std::string, ColumnFamilyOptions> column_families;
};

// The database may have been written by a program with comparators, filters or
// whole options of which nothing is known here, and what matters of them shows
// later, so that nothing is an error.
KnownOptions LoadOptions(const std::string& db_dir) {
  ConfigOptions config;
  config.env = ReadOnlyEnv();
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  // A listener of ours would ask for its folder.
  config.registry->AddLibrary("none")->AddFactory<EventListener>(
      kExportListenerName,
      [](const std::string&, std::unique_ptr<EventListener>* guard,
         std::string*) {
        guard->reset(new NoListener);
        return guard->get();
      });
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> descriptors;
  KnownOptions known;
  if (ROCKSDB_NAMESPACE::LoadLatestOptions(config, db_dir, &db_options,
                                           &descriptors)
          .ok()) {
    for (const ColumnFamilyDescriptor& descriptor : descriptors) {
      known.column_families[descriptor.name] = descriptor.options;
    }
  }
  known.db.db_paths = PathsOf(db_dir);
  known.db.env = ReadOnlyEnv();
  known.db.info_log = NewDiscardingLogger();
  // Files may go while the database is opened; it is their names that are
  // wanted.
  known.db.paranoid_checks = false;
  known.db.max_open_files = 20;
  known.db.skip_stats_update_on_db_open = true;
  return known;
}

ColumnFamilyOptions ToOpen(const ColumnFamilyOptions& known) {
  ColumnFamilyOptions options;
  options.comparator = known.comparator;
  options.num_levels = known.num_levels;
  BlockBasedTableOptions table_options;
  // No filter is loaded, and nothing else kept in memory.
  table_options.filter_policy = nullptr;
  table_options.cache_index_and_filter_blocks = true;
  options.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table_options));
  return options;
}

ColumnFamilySettings SettingsOf(const ColumnFamilyOptions& options) {
  ColumnFamilySettings settings;
  settings.prefix_extractor = options.prefix_extractor;
  settings.levelled =
      options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  const auto* const table_options =
      options.table_factory == nullptr
          ? nullptr
          : options.table_factory->GetOptions<BlockBasedTableOptions>();
  if (table_options != nullptr && table_options->filter_policy != nullptr) {
    settings.filter_policy = table_options->filter_policy->GetId();
  }
  return settings;
}

LiveSst ToLiveSst(const LiveFileMetaData& file) {
  LiveSst sst;
  sst.path = file.db_path + file.name;
  sst.number = file.file_number;
  sst.column_family = file.column_family_name;
  sst.level = file.level;
  sst.num_entries = file.num_entries;
  return sst;
}

// What is in another folder cannot be found by one who was not told of it.
LiveSst ToLiveSst(const LiveFileMetaData& file, const std::string& db_dir) {
  LiveSst sst = ToLiveSst(file);
  if (file.db_path != db_dir) {
    sst.error = sst.path +
                ": is in another folder than the database, by its db_paths or "
                "cf_paths, which none of its files names; export the SST files "
                "of that folder by themselves (--sst)";
  }
  return sst;
}

// The identity alone is also that of a copy.
std::string DatabaseOf(DB* db) {
  std::string identity;
  db->GetDbIdentity(identity).PermitUncheckedError();
  std::error_code ignored;
  return identity + " in " +
         std::filesystem::weakly_canonical(db->GetName(), ignored).string();
}

Status TryToList(const std::string& db_dir, LiveSsts* live) {
  const KnownOptions known = LoadOptions(db_dir);
  std::vector<std::string> names;
  Status status = DB::ListColumnFamilies(known.db, db_dir, &names);
  if (!status.ok()) {
    return status;
  }
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    const auto found = known.column_families.find(name);
    const ColumnFamilyOptions options = found == known.column_families.end()
                                            ? ColumnFamilyOptions()
                                            : found->second;
    descriptors.emplace_back(name, ToOpen(options));
    live->column_families[name] = SettingsOf(options);
  }
  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> db;
#if ROCKSDB_MAJOR >= 11
  status = DB::OpenForReadOnly(known.db, db_dir, descriptors, &handles, &db);
#else
  DB* opened = nullptr;
  status =
      DB::OpenForReadOnly(known.db, db_dir, descriptors, &handles, &opened);
  db.reset(opened);
#endif
  if (!status.ok()) {
    return status;
  }
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  live->database = DatabaseOf(db.get());
  for (ColumnFamilyHandle* const handle : handles) {
    db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  for (const LiveFileMetaData& file : files) {
    live->files.push_back(ToLiveSst(file, db_dir));
  }
  return status;
}

// While it is opened, a database that is in use may move on to another MANIFEST
// or drop a column family.
Status List(const std::string& db_dir, LiveSsts* live) {
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    *live = {};
    Status status = TryToList(db_dir, live);
    if (status.ok() || attempt == kAttempts) {
      return status;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * attempt));
  }
}

void Select(const std::string& column_family, LiveSsts* live) {
  auto& files = live->files;
  files.erase(std::remove_if(files.begin(), files.end(),
                             [&](const LiveSst& file) {
                               return file.column_family != column_family;
                             }),
              files.end());
  const ColumnFamilySettings settings = live->column_families[column_family];
  live->column_families = {{column_family, settings}};
}

}  // namespace

bool ListLiveSsts(const std::string& db_dir, const std::string& column_family,
                  LiveSsts* live, std::string* error) {
  const Status status = List(db_dir, live);
  if (!status.ok()) {
    *error = db_dir +
             ": cannot be opened as a RocksDB database: " + status.ToString();
    return false;
  }
  if (!column_family.empty()) {
    if (live->column_families.count(column_family) == 0) {
      *error =
          db_dir + ": has no column family '" + column_family + "'; it has";
      for (const auto& known : live->column_families) {
        *error += " '" + known.first + "'";
      }
      return false;
    }
    Select(column_family, live);
  }
  std::sort(live->files.begin(), live->files.end(),
            [](const LiveSst& a, const LiveSst& b) {
              return std::tie(a.column_family, a.level, a.number) <
                     std::tie(b.column_family, b.level, b.number);
            });
  return true;
}

LiveSsts LiveSstsOf(DB* db) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  LiveSsts live;
  live.database = DatabaseOf(db);
  live.usual_file_system =
      db->GetFileSystem() == ROCKSDB_NAMESPACE::FileSystem::Default().get();
  for (const LiveFileMetaData& file : files) {
    live.files.push_back(ToLiveSst(file));
  }
  return live;
}

}  // namespace cassandra_bloom
