// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/sst_reader.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include "plugin/filter/sizing.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "plugin/prefix_extractor/partition_transform.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;

namespace {

// A policy to which RocksDB passes the block of a full filter when it opens a
// file, if the filter has this name. Lives as long as the file's reader, but
// passes a block on only during the open.
class BlockObserver final : public FilterPolicy {
 public:
  BlockObserver(std::string filter_name, std::optional<std::string_view>* block)
      : filter_name_(std::move(filter_name)), block_(block) {}

  const char* Name() const override { return kPolicyName; }
  const char* CompatibilityName() const override {
    return filter_name_.c_str();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    if (block_ != nullptr) {
      *block_ = contents.ToStringView();
    }
    return nullptr;  // The filter is never queried.
  }

  void EndOpen() { block_ = nullptr; }

 private:
  const std::string filter_name_;
  std::optional<std::string_view>* block_;
};

}  // namespace

std::unique_ptr<SstReader> SstReader::Open(const std::string& path,
                                           std::string* error) {
  std::unique_ptr<SstReader> sst(new SstReader(path));
  return sst->OpenWith(kPolicyName, error) ? std::move(sst) : nullptr;
}

// Opens the file, and sets `block_` if it has a full filter of this name. A
// failure leaves everything as it was. Without a block cache, RocksDB does not
// read the partitions of a filter.
bool SstReader::OpenWith(const std::string& filter_name, std::string* error) {
  std::optional<std::string_view> block;
  const auto observer = std::make_shared<BlockObserver>(filter_name, &block);
  BlockBasedTableOptions table_options;
  table_options.no_block_cache = true;
  table_options.filter_policy = observer;
  Options options;
  options.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table_options));
  auto reader = std::make_unique<SstFileReader>(options);
  const Status status = reader->Open(path_);
  observer->EndOpen();
  if (!status.ok()) {
    *error = path_ +
             ": cannot be read as a block-based SST file: " + status.ToString();
    return false;
  }
  reader_ = std::move(reader);
  properties_ = reader_->GetTableProperties();
  block_ = block;
  filter_name_ = filter_name;
  return true;
}

std::optional<PartitionKeyExtractor> SstReader::partition_key() const {
  return PartitionKeyOfFilterName(properties_->filter_policy_name);
}

// RocksDB passes a block only to a policy with the filter's name, which need
// not be the name of the policy that the file names.
std::string SstReader::FindBlock(const PartitionKeyExtractor& partition_key,
                                 ParsedFilter* filter) {
  if (properties_->filter_size == 0) {
    return "there is no filter in the file";
  }
  for (const std::string& name :
       {FilterNameFor(partition_key), std::string(kRocksdbsFilterName)}) {
    std::string error;
    if (!block_ && name != filter_name_ && !OpenWith(name, &error)) {
      return error;
    }
  }
  for (const std::string& why :
       {WhyNotOurs(partition_key), WhyNotKeysAlone()}) {
    if (!why.empty()) {
      return why;
    }
  }
  // A partition must never pass as the filter. The size of a partitioned filter
  // includes the index of its partitions.
  if (block_->size() != properties_->filter_size) {
    return "its filter is partitioned";
  }
  const std::string_view filter_db =
      filter_name_ == kRocksdbsFilterName ? *WithoutTrailer(*block_) : *block_;
  if (!ParseFilterDb(filter_db.data(), filter_db.size(), filter) ||
      filter->num_probes > kMaxProbes) {
    return "its filter is empty or damaged";
  }
  return CountSetBits(*filter) < filter->capacity_bits()
             ? ""
             : "every key matches its filter, as if there was no memory to "
               "build it; a compaction builds it anew";
}

std::string SstReader::WhyNotOurs(
    const PartitionKeyExtractor& partition_key) const {
  const std::string& policy = properties_->filter_policy_name;
  if (block_ && filter_name_ == kRocksdbsFilterName) {
    if (!WithoutTrailer(*block_)) {
      return "it has a filter of RocksDB's own, which is no Filter.db";
    }
    return partition_key.is_whole() ? "" : "its filter holds whole keys";
  }
  const std::string name = FilterNameFor(partition_key);
  if (policy != name || (block_ && filter_name_ != name)) {
    return "its filter is of the policy '" + policy + "'";
  }
  return block_ ? ""
                : "its filter is partitioned, damaged, or not of the policy '" +
                      policy + "', which the file names";
}

// A filter that also holds prefixes will do if each prefix ends where its
// partition key ends.
std::string SstReader::WhyNotKeysAlone() const {
  const auto is_on = [this](const char* name) {
    const auto& all = properties_->user_collected_properties;
    const auto found = all.find(name);
    return found != all.end() && found->second == "1";
  };
  const bool keys = is_on("rocksdb.block.based.table.whole.key.filtering");
  const bool prefixes = is_on("rocksdb.block.based.table.prefix.filtering");
  if (prefixes && !keys) {
    return "its filter holds prefixes, not keys";
  }
  const bool prefixes_end_with_partition_keys =
      partition_key() && properties_->prefix_extractor_name ==
                             PartitionTransform::IdFor(*partition_key());
  return (keys && !prefixes) || prefixes_end_with_partition_keys
             ? ""
             : "its filter does not hold whole keys alone";
}

}  // namespace cassandra_bloom
