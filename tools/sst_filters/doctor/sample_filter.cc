// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/sample_filter.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "tools/sst_filters/doctor/filter_witness.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

namespace {

// RocksDB's readers find the type in the fifth byte from the end
// (GetBuiltinFilterBitsReader in table/block_based/filter_policy.cc).
FilterType TypeOf(const FilterPolicy& policy, const Slice& block) {
  constexpr size_t kTypeFromEnd = 5;
  constexpr char kRibbon = -2;
  const bool may_be_rocksdbs =
      std::strcmp(policy.CompatibilityName(), kRocksdbsFilterName) == 0;
  if (!may_be_rocksdbs || WithoutTrailer(block.ToStringView())) {
    return FilterType::kCassandra;
  }
  return block.size() >= kTypeFromEnd &&
                 block[block.size() - kTypeFromEnd] == kRibbon
             ? FilterType::kRibbon
             : FilterType::kBloom;
}

}  // namespace

// Measured: the peak for one bottommost SST file of 3 million keys at 10 bits
// per key, minus the peak without a filter, with RocksDB 7.8.3. RocksDB's
// builders keep 8 bytes a key, and ours keep 16. A Ribbon filter is solved in
// 20 more bytes a key.
//
// RocksDB keeps all finished partitions of a file until it is written.
double SampledFilter::BytesToBuild() const {
  const double at_ten_bits = type == FilterType::kRibbon  ? 28.5
                             : type == FilterType::kBloom ? 8.7
                                                          : 15.9;
  const double per_key = at_ten_bits + (bits_per_key - 10) / 8;
  const double finished = keys_of_block < keys ? keys * bits_per_key / 8 : 0;
  return finished + keys_of_block * per_key;
}

SampledFilter SampleFilter(const FilterPolicy& policy,
                           const FamilyOptions& options, const Place& place,
                           double keys) {
  constexpr double kMostKeys = 20'000;
  constexpr uint64_t kQuestions = 100'000;
  const auto logger = NewDiscardingLogger();
  FilterBuildingContext context(options.table);
  context.compaction_style = options.options.compaction_style;
  context.num_levels = options.options.num_levels;
  context.info_log = logger.get();
  context.level_at_creation = place.level;
  context.is_bottommost = place.is_bottommost;
  context.reason = place.level == 0 ? TableFileCreationReason::kFlush
                                    : TableFileCreationReason::kCompaction;
  SampledFilter sample;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) {
    sample.is_none = true;
    return sample;
  }
  sample.keys = sample.keys_of_block = std::max(keys, 1.0);
  if (options.table.partition_filters) {
    // As RocksDB cuts partitions (block_based_table_builder.cc).
    const auto deviation = options.table.block_size_deviation;
    const uint64_t partition = (options.table.metadata_block_size *
                                    static_cast<uint64_t>(100 - deviation) +
                                99) /
                               100;
    sample.keys_of_block = std::clamp(
        static_cast<double>(builder->ApproximateNumEntries(partition)), 1.0,
        sample.keys);
  }
  const double count = std::min(sample.keys_of_block, kMostKeys);
  std::mt19937_64 random(1);
  for (double added = 0; added < count; ++added) {
    const uint64_t key[] = {random(), random()};
    builder->AddKey(Slice(reinterpret_cast<const char*>(key), sizeof(key)));
  }
  std::unique_ptr<const char[]> owner;
  Status status;
  const Slice block = builder->Finish(&owner, &status);
  const std::unique_ptr<FilterBitsReader> reader(
      policy.GetFilterBitsReader(block));
  sample.bits_per_key = 8 * static_cast<double>(block.size()) / count;
  sample.type = TypeOf(policy, block);
  if (reader != nullptr) {
    sample.rate = static_cast<double>(PassedOf(kQuestions, 2, reader.get())) /
                  static_cast<double>(kQuestions);
  }
  return sample;
}

}  // namespace cassandra_bloom::tools
