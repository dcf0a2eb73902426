// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/recorded_options.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFactory;

namespace {

// ---- Stand-ins for what this process does not know ----

// IsInstanceOf(kUnknownHere) is true for all stand-ins.
constexpr char kUnknownHere[] = "cassandra_bloom.UnknownHere";

// The name is the text in the OPTIONS file.
template <typename Base>
class UnknownObject : public Base {
 public:
  explicit UnknownObject(std::string name) : name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }

 protected:
  const char* NickName() const override { return kUnknownHere; }

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

// Must not be used to search for a key. To list files, RocksDB needs only the
// comparator's name.
//
// Builds with assertions also check that the files of a level do not overlap
// (VersionBuilder::CheckConsistencyDetails). This class compares keys by their
// bytes, so the check succeeds if the real order is bytewise or its reverse.
class UnknownComparator final : public UnknownObject<Comparator> {
 public:
  using UnknownObject::UnknownObject;

  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

ObjectLibrary::PatternEntry EveryName() {
  return ObjectLibrary::PatternEntry("").AddSeparator("",
                                                      /*at_least_one=*/false);
}

// Makes `library` create a `Unknown` for every name that RocksDB's own registry
// does not know. It must ask that registry first, because RocksDB searches
// `library` before it.
template <typename Base, typename Unknown>
void AddUnknown(ObjectLibrary* library) {
  library->AddFactory<const Base>(
      EveryName(),
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

// RocksDB finds its own comparators without a factory
// (Comparator::CreateFromString), and never destroys a comparator.
void AddUnknownComparators(ObjectLibrary* library) {
  library->AddFactory<const Comparator>(
      EveryName(),
      [](const std::string& name, std::unique_ptr<const Comparator>* /*guard*/,
         std::string* /*error*/) -> const Comparator* {
        static auto* const comparators =
            new std::map<std::string, UnknownComparator>;
        return &comparators->try_emplace(name, name).first->second;
      });
}

ConfigOptions TolerantConfig(Env* env) {
  ConfigOptions config;
  config.env = env;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  // Otherwise a policy that refuses its settings would make the load fail.
  config.invoke_prepare_options = false;
  config.registry = ObjectRegistry::NewInstance();
  // RocksDB searches the library first that was added last.
  const auto unknown = config.registry->AddLibrary("unknown");
  AddUnknown<FilterPolicy, UnknownPolicy>(unknown.get());
  AddUnknown<SliceTransform, UnknownTransform>(unknown.get());
  AddUnknownComparators(unknown.get());
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  return config;
}

// ---- What the OPTIONS file says ----

// Returns why the filters cannot be asked, whatever the policy, or "".
std::string WhyNotAsked(const ColumnFamilyOptions& options) {
  const std::string comparator = options.comparator->Name();
  if (options.comparator->IsInstanceOf(kUnknownHere)) {
    return "its comparator '" + comparator +
           "' is not known here, so no key can be looked up";
  }
  if (options.comparator->timestamp_size() > 0) {
    return "its keys have timestamps (comparator '" + comparator + "')";
  }
  // RocksDB's loader leaves null for a table factory that it does not know.
  if (options.table_factory == nullptr ||
      !options.table_factory->IsInstanceOf(
          TableFactory::kBlockBasedTableName())) {
    return "its tables are not block-based (table_factory=" +
           std::string(options.table_factory == nullptr
                           ? "one that is not known here"
                           : options.table_factory->Name()) +
           ")";
  }
  const SliceTransform* const extractor = options.prefix_extractor.get();
  if (extractor != nullptr && extractor->IsInstanceOf(kUnknownHere)) {
    return "its prefix_extractor '" + std::string(extractor->Name()) +
           "' is not known here";
  }
  return "";
}

FamilyOptions FamilyOptionsOf(const ColumnFamilyOptions& recorded) {
  FamilyOptions family;
  family.options = recorded;
  family.not_asked = WhyNotAsked(recorded);
  const auto* const table =
      recorded.table_factory == nullptr
          ? nullptr
          : recorded.table_factory->GetOptions<BlockBasedTableOptions>();
  const FilterPolicy* const policy =
      table == nullptr ? nullptr : table->filter_policy.get();
  family.policy = policy == nullptr ? "" : policy->GetId();
  if (!family.not_asked.empty()) {
    return family;
  }
  family.table = *table;
  if (policy == nullptr) {
    return family;
  }
  // This also tells the policy how large the levels are.
  const Status status = policy->ValidateOptions(DBOptions(), recorded);
  if (policy->IsInstanceOf(kUnknownHere)) {
    family.not_asked = "its filter policy '" + std::string(policy->Name()) +
                       "' is not known here; if the name is misspelt, RocksDB "
                       "uses no filter: correct it in the OPTIONS file";
  } else if (!status.ok()) {
    family.not_asked =
        "its filter policy is refused: " +
        (status.getState() == nullptr ? status.ToString() : status.getState());
  }
  return family;
}

}  // namespace

ColumnFamilyOptions FamilyOptions::ForReading(
    std::shared_ptr<const FilterPolicy> with_policy,
    const std::shared_ptr<Cache>& cache) const {
  ColumnFamilyOptions reading;
  reading.comparator = options.comparator;
  reading.num_levels = options.num_levels;
  reading.compaction_style = options.compaction_style;
  reading.prefix_extractor = options.prefix_extractor;
  reading.optimize_filters_for_hits = options.optimize_filters_for_hits;
#if CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 803
  // RocksDB requires the value that is in the MANIFEST.
  reading.persist_user_defined_timestamps =
      options.persist_user_defined_timestamps;
#endif
  reading.force_consistency_checks =
      !options.comparator->IsInstanceOf(kUnknownHere);
  BlockBasedTableOptions for_reading;
  for_reading.filter_policy = std::move(with_policy);
  for_reading.whole_key_filtering = table.whole_key_filtering;
  for_reading.index_type = table.index_type;
  for_reading.partition_filters = table.partition_filters;
  for_reading.cache_index_and_filter_blocks = cache != nullptr;
  // If this is null, RocksDB makes a small one, which it needs for the
  // partitions of filters.
  for_reading.block_cache = cache;
  reading.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(for_reading));
  return reading;
}

std::map<std::string, FamilyOptions> LoadOptions(
    const std::string& db_dir, const std::vector<std::string>& column_families,
    Env* env) {
  DBOptions ignored;
  std::vector<ColumnFamilyDescriptor> recorded;
  const Status loaded = ROCKSDB_NAMESPACE::LoadLatestOptions(
      TolerantConfig(env), db_dir, &ignored, &recorded);
  std::map<std::string, FamilyOptions> families;
  for (const std::string& name : column_families) {
    families[name].not_asked =
        "the OPTIONS file of the database is missing, cannot be read, or does "
        "not have this column family, so the policy is not known" +
        (loaded.ok() ? "" : ": " + loaded.ToString());
  }
  for (const ColumnFamilyDescriptor& descriptor : recorded) {
    const auto family = families.find(descriptor.name);
    if (loaded.ok() && family != families.end()) {
      family->second = FamilyOptionsOf(descriptor.options);
    }
  }
  return families;
}

}  // namespace cassandra_bloom::tools
