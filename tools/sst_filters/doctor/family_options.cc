// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/family_options.h"

#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <cstring>

#include "plugin/policy/filter_name.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFactory;

namespace {

std::string WhyNotAsked(const RecordedOptions& recorded,
                        const std::string& column_family,
                        const ColumnFamilyOptions& options) {
  const std::string comparator = recorded.UnknownComparatorOf(column_family);
  if (recorded.column_families.count(column_family) == 0) {
    return "the OPTIONS file of the database is missing, cannot be read, or "
           "does not have this column family, so the policy is not known" +
           (recorded.loaded.ok() ? "" : ": " + recorded.loaded.ToString());
  }
  if (!comparator.empty()) {
    return "its comparator '" + comparator +
           "' is not known here, so no key can be looked up";
  }
  if (options.comparator->timestamp_size() > 0) {
    return "its keys have timestamps (comparator '" +
           std::string(options.comparator->Name()) + "')";
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
  return "";
}

}  // namespace

FamilyOptions OptionsOf(const RecordedOptions& recorded,
                        const std::string& column_family) {
  FamilyOptions family;
  family.options = recorded.Of(column_family);
  family.not_asked = WhyNotAsked(recorded, column_family, family.options);
  if (!family.not_asked.empty()) {
    return family;
  }
  family.table =
      *family.options.table_factory->GetOptions<BlockBasedTableOptions>();
  const FilterPolicy* const policy = family.table.filter_policy.get();
  if (policy != nullptr) {
    family.policy = policy->GetId();
    family.is_read_only = std::strcmp(policy->Name(), kRocksdbsFilterName) == 0;
    if (policy->IsInstanceOf(kUnknownHere)) {
      family.not_asked = "its filter policy '" + std::string(policy->Name()) +
                         "' is not known here";
    }
    // This also tells the policy how large the levels are.
    const Status status = policy->ValidateOptions(DBOptions(), family.options);
    if (!status.ok()) {
      family.refused =
          status.getState() == nullptr ? status.ToString() : status.getState();
    }
  }
  auto& extractor = family.options.prefix_extractor;
  if (extractor != nullptr && extractor->IsInstanceOf(kUnknownHere)) {
    family.unknown_extractor = extractor->Name();
    extractor = nullptr;
  }
  return family;
}

ColumnFamilyOptions FamilyOptions::ForReading(
    const RecordedOptions& recorded, const std::string& name,
    const std::shared_ptr<Cache>& cache, FilterWitness* witness) const {
  ColumnFamilyOptions reading = recorded.ForListing(name);
  if (!not_asked.empty()) {
    return reading;
  }
  reading.prefix_extractor = options.prefix_extractor;
  reading.optimize_filters_for_hits = options.optimize_filters_for_hits;
  reading.compaction_style = options.compaction_style;
  BlockBasedTableOptions for_reading;
  for_reading.filter_policy = Witnessed(table.filter_policy, witness);
  for_reading.whole_key_filtering = table.whole_key_filtering;
  for_reading.index_type = table.index_type;
  for_reading.partition_filters = table.partition_filters;
  for_reading.cache_index_and_filter_blocks = cache != nullptr;
  // RocksDB reads the partitions of a filter only into a block cache.
  for_reading.block_cache =
      cache != nullptr ? cache : ROCKSDB_NAMESPACE::NewLRUCache(8 << 20);
  reading.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(for_reading));
  return reading;
}

}  // namespace cassandra_bloom::tools
