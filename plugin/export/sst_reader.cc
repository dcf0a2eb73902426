// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/sst_reader.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <utility>

#include "plugin/export/read_only_env.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::MergeOperator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;

namespace {

// Merges all values into an empty one, because only keys are wanted. Without a
// merge operator, RocksDB does not show the keys of merge entries.
class KeysOnlyMergeOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "CassandraBloomKeysOnly"; }
  bool FullMergeV2(const MergeOperationInput& /*in*/,
                   MergeOperationOutput* out) const override {
    out->new_value.clear();
    return true;
  }
};

// A policy to which RocksDB passes the filter blocks of a file when it opens
// the file. Lives as long as the reader.
class BlockObserver final : public FilterPolicy {
 public:
  explicit BlockObserver(FilterVisit filter) : filter_(std::move(filter)) {}

  const char* Name() const override { return kPolicyName; }
  const char* CompatibilityName() const override {
    return filter_.filter_name.c_str();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    if (filter_.visit) {
      filter_.visit(contents);
    }
    return nullptr;  // The filter is never queried.
  }

  // Stops the calls of `visit`, which may refer to objects that no longer exist
  // when the keys are read.
  void EndVisits() { filter_.visit = nullptr; }

 private:
  FilterVisit filter_;
};

std::unique_ptr<SstFileReader> NewReader(
    const Comparator* comparator,
    std::shared_ptr<const BlockObserver> observer) {
  BlockBasedTableOptions table_options;
  // When RocksDB opens a file, it reads filter partitions only if there is a
  // block cache.
  table_options.no_block_cache = observer == nullptr;
  table_options.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(size_t{1} << 20);
  table_options.filter_policy = std::move(observer);
  Options options;
  options.env = ReadOnlyEnv();
  options.info_log = NewDiscardingLogger();
  options.comparator = comparator;
  options.merge_operator = std::make_shared<KeysOnlyMergeOperator>();
  options.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table_options));
  return std::make_unique<SstFileReader>(options);
}

}  // namespace

Status OpenSstReader(const std::string& path, const Comparator* comparator,
                     const FilterVisit* filter,
                     std::unique_ptr<SstFileReader>* reader) {
  const auto observer =
      filter == nullptr ? nullptr : std::make_shared<BlockObserver>(*filter);
  auto opened = NewReader(comparator, observer);
  Status status = opened->Open(path);
  if (observer != nullptr) {
    observer->EndVisits();
  }
  if (status.ok()) {
    *reader = std::move(opened);
  }
  return status;
}

}  // namespace cassandra_bloom
