// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/recorded_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
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
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
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

// What an unknown policy and an unknown prefix extractor have in common.
template <typename Base>
class UnknownObject : public Base {
 public:
  explicit UnknownObject(std::string name) : name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }

 protected:
  const char* NickName() const override { return kUnknownHere; }
  Status ConfigureOptions(
      const ConfigOptions&, const std::unordered_map<std::string, std::string>&,
      std::unordered_map<std::string, std::string>*) override {
    return Status::OK();
  }

 private:
  const std::string name_;
};

class UnknownPolicy final : public UnknownObject<FilterPolicy> {
 public:
  using UnknownObject::UnknownObject;

  const char* CompatibilityName() const override { return kUnknownHere; }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  FilterBitsReader* GetFilterBitsReader(
      const Slice& /*contents*/) const override {
    return nullptr;
  }
};

class UnknownTransform final : public UnknownObject<SliceTransform> {
 public:
  using UnknownObject::UnknownObject;

  Slice Transform(const Slice& key) const override { return key; }
  bool InDomain(const Slice& /*key*/) const override { return false; }
};

// Makes `library` create a `Unknown` for every name that RocksDB's own registry
// does not know. It must ask that registry first, because RocksDB searches
// `library` before it.
template <typename Base, typename Unknown>
void AddUnknown(ObjectLibrary* library) {
  library->AddFactory<const Base>(
      ObjectLibrary::PatternEntry("").AddSeparator("", /*at_least_one=*/false),
      [](const std::string& name, std::unique_ptr<const Base>* guard,
         std::string* /*error*/) -> const Base* {
        const Base* known = nullptr;
        if (ObjectRegistry::Default()
                ->NewObject<const Base>(name, &known, guard)
                .ok()) {
          return known;
        }
        guard->reset(new Unknown(name));
        return guard->get();
      });
}

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
  // Otherwise a policy that refuses its settings would make the load fail.
  config.invoke_prepare_options = false;
  config.registry = ObjectRegistry::NewInstance();
  // RocksDB searches the library first that was added last.
  const auto unknown = config.registry->AddLibrary("unknown");
  AddUnknown<FilterPolicy, UnknownPolicy>(unknown.get());
  AddUnknown<SliceTransform, UnknownTransform>(unknown.get());
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
  recorded.loaded = ROCKSDB_NAMESPACE::LoadLatestOptions(
      TolerantConfig(recorded.named_comparators), db_dir, &ignored,
      &descriptors);
  if (recorded.loaded.ok()) {
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
