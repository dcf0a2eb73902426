// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/database/open_database.h"

#include <rocksdb/comparator.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "filterdb/commands/output.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// ---- What the OPTIONS file says ----

bool IsBlockBased(const rocksdb::TableFactory* tables) {
  return tables != nullptr &&
         tables->IsInstanceOf(rocksdb::TableFactory::kBlockBasedTableName());
}

// Returns why the policy cannot be asked, or "". Also tells the policy the
// options of the column family.
std::string WhyPolicyNotAsked(const rocksdb::ColumnFamilyOptions& options,
                              const rocksdb::FilterPolicy* policy) {
  if (policy == nullptr) {
    return "";
  }
  if (policy->IsInstanceOf(kUnknownHere)) {
    return "its filter policy '" + std::string(policy->Name()) +
           "' is not known here; if the name is misspelt, RocksDB uses no "
           "filter: correct it in the OPTIONS file";
  }
  const rocksdb::Status status =
      policy->ValidateOptions(rocksdb::DBOptions(), options);
  return status.ok() ? ""
                     : "its filter policy is refused: " + status.ToString();
}

// Returns why no key can be looked up, or "".
std::string WhyNotAsked(const rocksdb::ColumnFamilyOptions& options) {
  const std::string comparator = options.comparator->Name();
  if (options.comparator->IsInstanceOf(kUnknownHere)) {
    return "its comparator '" + comparator +
           "' is not known here, so no key can be looked up";
  }
  if (options.comparator->timestamp_size() > 0) {
    return "its keys have timestamps (comparator '" + comparator + "')";
  }
  // RocksDB's loader leaves null for a table factory that it does not know.
  const rocksdb::TableFactory* const tables = options.table_factory.get();
  if (!IsBlockBased(tables)) {
    return std::string("its tables are not block-based (table_factory=") +
           (tables == nullptr ? "one that is not known here" : tables->Name()) +
           ")";
  }
  const auto& extractor = options.prefix_extractor;
  if (extractor != nullptr && extractor->IsInstanceOf(kUnknownHere)) {
    return "its prefix_extractor '" + std::string(extractor->Name()) +
           "' is not known here";
  }
  return "";
}

// Reads what an OPTIONS file says of these column families, with RocksDB's own
// loader. Never fails: if the file is missing or cannot be read,
// Family::not_asked says so.
std::vector<Family> LoadOptionsFile(const std::string& path,
                                    const std::vector<std::string>& names,
                                    rocksdb::Env* env, std::string* log_dir) {
  rocksdb::DBOptions of_database;
  std::vector<rocksdb::ColumnFamilyDescriptor> recorded;
  const rocksdb::Status loaded = rocksdb::LoadOptionsFromFile(
      ConfigWithStandIns(env), path, &of_database, &recorded);
  *log_dir = of_database.db_log_dir;
  std::vector<Family> families;
  for (const std::string& name : names) {
    Family& family = families.emplace_back();
    const auto found = std::find_if(
        recorded.begin(), recorded.end(),
        [&](const auto& descriptor) { return descriptor.name == name; });
    if (!loaded.ok() || found == recorded.end()) {
      family.not_asked =
          "the OPTIONS file of the database is missing, cannot be read, or "
          "does not have this column family, so the policy is not known" +
          (loaded.ok() ? "" : ": " + loaded.ToString());
      continue;
    }
    family.options = found->options;
    const auto& factory = found->options.table_factory;
    const auto* const table =
        factory == nullptr
            ? nullptr
            : factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (table != nullptr) {
      family.table = *table;
    }
    auto& policy = family.table.filter_policy;
    family.policy = policy == nullptr ? "" : policy->GetId();
    // Programs in C, Rust or Go record RocksDB's policies without their bits
    // (db/c.cc wraps them). All of RocksDB's policies read the same filters.
    // So do OPTIONS files of before RocksDB 7.0.
    family.has_no_bits = family.policy == "bloomfilter" ||
                         family.policy == "ribbonfilter" ||
                         family.policy == "rocksdb.BuiltinBloomFilter";
    if (family.has_no_bits) {
      policy.reset(rocksdb::NewBloomFilterPolicy(10));
    }
    family.is_block_based = IsBlockBased(factory.get());
    family.not_asked = WhyNotAsked(family.options);
    const std::string why = WhyPolicyNotAsked(family.options, policy.get());
    family.is_policy_known = why.empty();
    if (family.not_asked.empty()) {
      family.not_asked = why;
    }
  }
  return families;
}

// Reads what the newest OPTIONS file says, and which policy an older one names.
std::vector<Family> LoadOptions(const std::string& db_dir,
                                const std::vector<std::string>& names,
                                rocksdb::Env* env, std::string* log_dir) {
  std::string newest;
  rocksdb::GetLatestOptionsFileName(db_dir, env, &newest)
      .PermitUncheckedError();
  std::vector<Family> families =
      LoadOptionsFile(db_dir + "/" + newest, names, env, log_dir);
  std::vector<std::string> files;
  env->GetChildren(db_dir, &files).PermitUncheckedError();
  for (const std::string& file : files) {
    if (file.rfind("OPTIONS-", 0) != 0) {
      continue;
    }
    std::string ignored;
    const std::vector<Family> of_file =
        LoadOptionsFile(db_dir + "/" + file, names, env, &ignored);
    for (size_t i = 0; i < names.size(); ++i) {
      if (families[i].policy.empty() && !of_file[i].policy.empty()) {
        families[i].former_policy = file + " names '" + of_file[i].policy + "'";
      }
    }
  }
  return families;
}

// ---- A database that belongs to another process ----

// RocksDB registers this file system since 7.1 (env/file_system.cc).
std::shared_ptr<rocksdb::FileSystem> ReadOnlyFileSystem() {
  std::shared_ptr<rocksdb::FileSystem> file_system;
  const rocksdb::Status status = rocksdb::FileSystem::CreateFromString(
      rocksdb::ConfigOptions(), "ReadOnlyFileSystem", &file_system);
  if (!status.ok() || file_system == nullptr) {
    throw Unusable("RocksDB has no read-only file system: " +
                   status.ToString());
  }
  return file_system;
}

// Only reads local files. Creating, changing or removing a file fails, because
// even a read-only open may remove *.trash files (RocksDB 7.8). Hides
// write-ahead logs, so that an open does not load them.
class DatabaseFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  DatabaseFileSystem() : FileSystemWrapper(ReadOnlyFileSystem()) {}

  const char* Name() const override { return "CassandraBloomDatabase"; }

  rocksdb::IOStatus GetChildren(const std::string& dir,
                                const rocksdb::IOOptions& options,
                                std::vector<std::string>* names,
                                rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status =
        target()->GetChildren(dir, options, names, debug);
    names->erase(std::remove_if(names->begin(), names->end(),
                                [](const std::string& name) {
                                  return EndsWith(name, ".log");
                                }),
                 names->end());
    return status;
  }
};

rocksdb::DBOptions OptionsOf(const DatabaseOnDisk& what, rocksdb::Env* env) {
  rocksdb::DBOptions options;
  std::vector<std::string> paths = what.db_paths;
  if (paths.empty()) {
    paths = {what.folder};
  }
  // A database has at most four paths. With fewer here, RocksDB would read
  // beyond the end of the list if an SST file were in a later path. RocksDB's
  // errors name the others.
  paths.resize(std::max<size_t>(paths.size(), 4),
               what.folder +
                   "/a folder of db_paths or cf_paths that --db-path "
                   "has to name");
  for (const std::string& path : paths) {
    options.db_paths.emplace_back(path, /*target_size=*/0);
  }
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

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void CheckHasColumnFamilies(const DatabaseOnDisk& what,
                            const std::vector<std::string>& names) {
  for (const std::string& wanted : what.column_families) {
    if (!Contains(names, wanted)) {
      std::string error =
          what.folder + ": has no column family '" + wanted + "'; it has";
      for (const std::string& name : names) {
        error += " '" + name + "'";
      }
      throw Unusable(error);
    }
  }
}

rocksdb::Status TryToOpen(const DatabaseOnDisk& what,
                          const std::shared_ptr<FilterWitness>& witness,
                          OpenedDatabase* opened) {
  opened->env =
      rocksdb::NewCompositeEnv(std::make_shared<DatabaseFileSystem>());
  rocksdb::DBOptions options = OptionsOf(what, opened->env.get());
  if (witness != nullptr) {
    options.listeners.push_back(witness);
  }
  std::vector<std::string> names;
  rocksdb::Status status =
      rocksdb::DB::ListColumnFamilies(options, what.folder, &names);
  if (!status.ok()) {
    return status;
  }
  CheckHasColumnFamilies(what, names);
  std::vector<Family> families =
      LoadOptions(what.folder, names, opened->env.get(), &opened->log_dir);
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (size_t i = 0; i < names.size(); ++i) {
    descriptors.emplace_back(names[i],
                             OptionsForReading(families[i], witness.get()));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
#if ROCKSDB_MAJOR >= 11
  std::unique_ptr<rocksdb::DB> db;
#else
  rocksdb::DB* db = nullptr;
#endif
  status = rocksdb::DB::OpenForReadOnly(options, what.folder, descriptors,
                                        &handles, &db);
  opened->db = std::unique_ptr<rocksdb::DB>(std::move(db));
  for (size_t i = 0; i < handles.size(); ++i) {
    opened->handles.emplace_back(handles[i]);
    opened->db->GetColumnFamilyMetaData(handles[i], &families[i].files);
    families[i].handle = handles[i];
    if (what.column_families.empty() ||
        Contains(what.column_families, names[i])) {
      opened->families.push_back(families[i]);
    }
  }
  return status;
}

}  // namespace

std::string PathOnDisk(const std::string& sst) {
  const std::string ldb = sst.substr(0, sst.rfind('.')) + ".ldb";
  return !FileExists(sst) && FileExists(ldb) ? ldb : sst;
}

rocksdb::ColumnFamilyOptions OptionsForReading(const Family& family,
                                               FilterWitness* witness) {
  rocksdb::ColumnFamilyOptions reading;
  reading.comparator = family.options.comparator;
  reading.num_levels = family.options.num_levels;
  reading.compaction_style = family.options.compaction_style;
  reading.prefix_extractor = family.options.prefix_extractor;
  // A seek may end at a key with merge entries, whose value nobody reads.
  // Without an operator, it would fail there.
  rocksdb::MergeOperator::CreateFromString(rocksdb::ConfigOptions(), "put",
                                           &reading.merge_operator)
      .PermitUncheckedError();
  reading.optimize_filters_for_hits = family.options.optimize_filters_for_hits;
#if CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 803
  // RocksDB requires the value that is in the MANIFEST.
  reading.persist_user_defined_timestamps =
      family.options.persist_user_defined_timestamps;
#endif
  reading.force_consistency_checks =
      !family.options.comparator->IsInstanceOf(kUnknownHere);
  rocksdb::BlockBasedTableOptions table;
  if (witness != nullptr && family.is_policy_known &&
      family.table.filter_policy != nullptr) {
    table.filter_policy = witness->PolicyFor(family.table.filter_policy);
  }
  table.whole_key_filtering = family.table.whole_key_filtering;
  table.index_type = family.table.index_type;
  table.partition_filters = family.table.partition_filters;
  // Otherwise RocksDB would keep them in memory while a file is open.
  table.cache_index_and_filter_blocks = true;
  reading.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return reading;
}

// Tries several times, because a database in use may change its MANIFEST or
// drop a column family while it is being opened.
OpenedDatabase OpenDatabase(const DatabaseOnDisk& what,
                            const std::shared_ptr<FilterWitness>& witness) {
  constexpr int kAttempts = 5;
  rocksdb::Status status;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    OpenedDatabase opened;
    status = TryToOpen(what, witness, &opened);
    if (status.ok()) {
      return opened;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw Unusable(what.folder + ": cannot be opened as a RocksDB database: " +
                 status.ToString());
}

}  // namespace cassandra_bloom::tools
