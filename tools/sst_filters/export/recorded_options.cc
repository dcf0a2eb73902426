// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/recorded_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <unordered_map>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::DbPath;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Status;

namespace {

// Returns four paths, because a database has at most four. With fewer paths
// here, RocksDB would read beyond the end of the list if an SST file were in a
// later path. Only the first path is known, because no file of a database names
// its db_paths.
std::vector<DbPath> PathsOf(const std::string& db_dir) {
  std::vector<DbPath> paths = {{db_dir, /*target_size=*/0}};
  for (int i = 1; i < 4; ++i) {
    paths.emplace_back(db_dir + "/unknown db_paths[" + std::to_string(i) + "]",
                       /*target_size=*/0);
  }
  return paths;
}

class NoListener final : public EventListener {
 protected:
  Status ConfigureOptions(
      const ConfigOptions&, const std::unordered_map<std::string, std::string>&,
      std::unordered_map<std::string, std::string>*) override {
    return Status::OK();
  }
};

// Makes RocksDB use stand-ins for unknown comparators and for all listeners.
// RocksDB's own comparators need no stand-in, because RocksDB finds them
// without a factory (Comparator::CreateFromString).
void AddStandIns(const std::shared_ptr<NamedComparators>& comparators,
                 ObjectLibrary* library) {
  library->AddFactory<const Comparator>(
      ObjectLibrary::PatternEntry("", /*optional=*/false).AddSeparator(""),
      [comparators](const std::string& name,
                    std::unique_ptr<const Comparator>* /*guard*/,
                    std::string* /*error*/) -> const Comparator* {
        auto& comparator = (*comparators)[name];
        if (comparator == nullptr) {
          comparator = std::make_unique<NamedComparator>(name);
        }
        return comparator.get();
      });
  // Listeners of this library also get a stand-in: they have nothing to do
  // here.
  library->AddFactory<EventListener>(
      ObjectLibrary::PatternEntry("").AddSeparator("", /*at_least_one=*/false),
      [](const std::string&, std::unique_ptr<EventListener>* guard,
         std::string*) {
        guard->reset(new NoListener);
        return guard->get();
      });
}

ConfigOptions TolerantConfig(
    const std::shared_ptr<NamedComparators>& comparators) {
  ConfigOptions config;
  config.env = ReadOnlyEnv();
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  AddStandIns(comparators, config.registry->AddLibrary("stand-ins").get());
  return config;
}

DBOptions ForListingDb(const std::string& db_dir) {
  DBOptions options;
  options.db_paths = PathsOf(db_dir);
  options.env = ReadOnlyEnv();
  options.info_log = NewDiscardingLogger();
  // Files may disappear while the database is opened. That must not be an
  // error.
  options.paranoid_checks = false;
  options.max_open_files = 20;
  // With more than one thread, RocksDB starts threads to open SST files. The
  // process ends if there is no memory for a thread
  // (VersionBuilder::Rep::LoadTableHandlers).
  options.max_file_opening_threads = 1;
  options.skip_stats_update_on_db_open = true;
  return options;
}

}  // namespace

RecordedOptions LoadRecordedOptions(const std::string& db_dir) {
  RecordedOptions recorded;
  recorded.named_comparators = std::make_shared<NamedComparators>();
  DBOptions ignored;
  std::vector<ColumnFamilyDescriptor> descriptors;
  if (ROCKSDB_NAMESPACE::LoadLatestOptions(
          TolerantConfig(recorded.named_comparators), db_dir, &ignored,
          &descriptors)
          .ok()) {
    for (const ColumnFamilyDescriptor& descriptor : descriptors) {
      recorded.column_families[descriptor.name] = descriptor.options;
    }
  }
  recorded.db = ForListingDb(db_dir);
  return recorded;
}

ColumnFamilyOptions RecordedOptions::Of(
    const std::string& column_family) const {
  const auto found = column_families.find(column_family);
  return found == column_families.end() ? ColumnFamilyOptions() : found->second;
}

ColumnFamilyOptions RecordedOptions::ForListing(
    const std::string& column_family) const {
  const ColumnFamilyOptions known = Of(column_family);
  ColumnFamilyOptions options;
  options.comparator = known.comparator;
  options.num_levels = known.num_levels;
#if CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 803
  // RocksDB requires the value that is in the MANIFEST.
  options.persist_user_defined_timestamps =
      known.persist_user_defined_timestamps;
#endif
  options.force_consistency_checks = UnknownComparatorOf(column_family).empty();
  BlockBasedTableOptions table_options;
  // With these settings, RocksDB loads no filter and keeps no index in memory.
  table_options.filter_policy = nullptr;
  table_options.cache_index_and_filter_blocks = true;
  options.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table_options));
  return options;
}

std::string RecordedOptions::UnknownComparatorOf(
    const std::string& column_family) const {
  const ColumnFamilyOptions options = Of(column_family);
  const std::string name = options.comparator->Name();
  return named_comparators->count(name) == 0 ? "" : name;
}

}  // namespace cassandra_bloom
