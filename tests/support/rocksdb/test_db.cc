// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/test_db.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/write_batch.h>

#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/releases.h"

#define HAS_SEEK_TICKERS (CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 803)
#define HAS_DECOUPLED_FILTERS (CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 906)
#define HAS_SPLIT_BLOCKS (CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 1108)

namespace cassandra_bloom::testing {

void Require(const rocksdb::Status& status) {
  if (!status.ok()) {
    throw std::runtime_error(status.ToString());
  }
}

void RegisterInDefaultRegistry() {
  static const bool registered = [] {
    rocksdb::ObjectRegistry::Default()->AddLibrary(
        "cassandra_bloom", register_cassandra_bloom, "");
    return true;
  }();
  (void)registered;
}

PolicyPtr PolicyFrom(const std::string& text) {
  RegisterInDefaultRegistry();
  PolicyPtr policy;
  rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text,
                                          &policy)
      .PermitUncheckedError();
  return policy;
}

PolicyPtr OurPolicy(double bits_per_key) {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicy(bits_per_key));
}

PolicyPtr PolicyFor(const std::string& partition_key) {
  return PolicyFrom("cassandra_bloom:partition_key:" + partition_key);
}

PolicyPtr OurPolicyBesideRocksdb(double bits_per_key) {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicyBesideRocksdb(bits_per_key));
}

PolicyPtr BuiltinPolicy(double bits_per_key) {
  return PolicyPtr(rocksdb::NewBloomFilterPolicy(bits_per_key));
}

PolicyPtr BuiltinRibbonPolicy(int bloom_before_level) {
  return PolicyPtr(rocksdb::NewRibbonFilterPolicy(10, bloom_before_level));
}

std::vector<Layout> AllLayouts() {
  return {
    Layout::kFull, Layout::kFullCached, Layout::kPartitioned,
        Layout::kPartitionedCached, Layout::kPartitionedPinned,
#if HAS_DECOUPLED_FILTERS
        Layout::kPartitionedDecoupled
#endif
  };
}

std::string ToString(Layout layout) {
  constexpr const char* kNames[] = {"Full",
                                    "FullCached",
                                    "Partitioned",
                                    "PartitionedCached",
                                    "PartitionedPinned",
                                    "PartitionedDecoupled"};
  return kNames[static_cast<size_t>(layout)];
}

rocksdb::BlockBasedTableOptions TableOptions(PolicyPtr policy, Layout layout) {
  rocksdb::BlockBasedTableOptions options;
  options.filter_policy = std::move(policy);
  options.optimize_filters_for_memory = false;  // Keeps sizes exact.
  options.block_cache = rocksdb::NewLRUCache(8 << 20);
  if (layout != Layout::kFull && layout != Layout::kFullCached) {
    options.index_type =
        rocksdb::BlockBasedTableOptions::IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
    options.metadata_block_size = 512;
    // In kPartitioned, the size of the filter decides where a partition ends.
    // In other layouts, blocks are smaller, so that the index has more entries.
    // The size of the index then decides. In kPartitionedDecoupled, filter and
    // index have separate partitions.
    options.block_size = layout == Layout::kPartitioned ? 512 : 256;
#if HAS_DECOUPLED_FILTERS
    options.decouple_partitioned_filters =
        layout == Layout::kPartitionedDecoupled;
#endif
  }
#if HAS_SPLIT_BLOCKS
  if (layout == Layout::kFullCached ||
      layout == Layout::kPartitionedDecoupled) {
    options.separate_key_value_in_data_block = true;
    options.index_block_search_type =
        rocksdb::BlockBasedTableOptions::kInterpolation;
  }
#endif
  options.cache_index_and_filter_blocks =
      layout != Layout::kFull && layout != Layout::kPartitioned;
  if (layout == Layout::kPartitionedPinned) {
    options.pin_l0_filter_and_index_blocks_in_cache = true;
    options.metadata_cache_options.top_level_index_pinning =
        rocksdb::PinningTier::kAll;
    options.metadata_cache_options.partition_pinning =
        rocksdb::PinningTier::kAll;
  }
  return options;
}

rocksdb::Options DbOptions(
    const rocksdb::BlockBasedTableOptions& table_options) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(table_options));
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

std::string Mode::name() const {
  constexpr const char* kNames[] = {"WholeKeys", "Prefixes", "Both"};
  return ToString(layout) + "_" + kNames[static_cast<size_t>(filtered)];
}

rocksdb::Options Mode::OptionsWith(PolicyPtr policy) const {
  auto table_options = TableOptions(std::move(policy), layout);
  table_options.whole_key_filtering = filtered != Filtered::kPrefixes;
  rocksdb::Options options = DbOptions(table_options);
  if (filtered != Filtered::kWholeKeys) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kPrefixSize));
  }
  if (CanCompressInParallel()) {
    options.compression = rocksdb::kLZ4HCCompression;
    options.compression_opts.parallel_threads = 4;
  }
  return options;
}

std::vector<Mode> AllModes() {
  std::vector<Mode> modes;
  for (const Layout layout : AllLayouts()) {
    for (const Filtered filtered :
         {Filtered::kWholeKeys, Filtered::kPrefixes, Filtered::kBoth}) {
      modes.push_back({layout, filtered});
    }
  }
  return modes;
}

rocksdb::Status CompactAll(const Source& source) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForceOptimized;
  return source.db->CompactRange(options, source.column_family, nullptr,
                                 nullptr);
}

rocksdb::Status CompactFilesTo(int level, rocksdb::DB* db, bool of_level_0) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    if (file.column_family_name == rocksdb::kDefaultColumnFamilyName &&
        (file.level == 0 || !of_level_0)) {
      names.push_back(file.name);
    }
  }
  return db->CompactFiles(rocksdb::CompactionOptions(), names, level);
}

std::shared_ptr<const rocksdb::TableProperties> TestDb::OnlyTable() const {
  rocksdb::TablePropertiesCollection tables;
  Require(db_->GetPropertiesOfAllTables(&tables));
  if (tables.size() != 1) {
    throw std::runtime_error(std::to_string(tables.size()) +
                             " tables instead of one");
  }
  return tables.begin()->second;
}

rocksdb::Status TestDb::TryOpen(const rocksdb::Options& options) {
  const rocksdb::Options opened_with = options;  // Perhaps our own options_.
  Close();
  options_ = opened_with;
  OpenedDb db{};
  const rocksdb::Status status = rocksdb::DB::Open(options_, path(), &db);
  db_ = Own(std::move(db));
  return status;
}

uint64_t TestDb::ReadsFiltered() const {
  // In other releases, this ticker counts seeks.
  const uint64_t by_prefix =
      HAS_SEEK_TICKERS ? Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL) : 0;
  return Ticker(rocksdb::BLOOM_FILTER_USEFUL) + by_prefix;
}

void TestDb::Put(const Rows& rows) {
  rocksdb::WriteBatch batch;
  for (const auto& [key, value] : rows) {
    Require(batch.Put(key, value));
  }
  Require(db_->Write(rocksdb::WriteOptions(), &batch));
}

}  // namespace cassandra_bloom::testing
