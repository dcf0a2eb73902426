// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/built_filter.h"

#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "plugin/policy/filter_name.h"
#include "tools/sst_filters/database/filter_witness.h"

namespace cassandra_bloom::tools {
namespace {

using Files = std::vector<rocksdb::SstFileMetaData>;

bool IsOldestOfLevel0(const ExaminedFamily& family, const ExaminedSst& sst) {
  // RocksDB lists the oldest file of level 0 last.
  const Files& files = family.files.levels[0].files;
  return files.back().file_number == sst.file.file_number;
}

// `files` are those of a level below level 0, in the order of their keys.
bool HasKeysInRange(const rocksdb::Comparator& comparator, const Files& files,
                    const ExaminedSst& sst) {
  const auto first = std::partition_point(
      files.begin(), files.end(), [&](const rocksdb::SstFileMetaData& file) {
        return comparator.Compare(file.largestkey, sst.file.smallestkey) < 0;
      });
  return first != files.end() &&
         comparator.Compare(first->smallestkey, sst.file.largestkey) <= 0;
}

// Measured: the peak for one bottommost SST file of 3 million keys at 10 bits
// per key, minus the peak without a filter, with RocksDB 7.8.3. RocksDB's
// builders keep 8 bytes a key, and ours keep 16. A Ribbon filter is solved in
// 20 more bytes a key.
double BytesPerKeyToBuild(const rocksdb::FilterPolicy& policy,
                          const rocksdb::Slice& block) {
  // RocksDB's readers find the type in the fifth byte from the end, and our
  // trailer has 0 there (block_form.h).
  constexpr size_t kTypeFromEnd = 5;
  constexpr char kRibbon = -2;
  const bool is_rocksdbs =
      std::strcmp(policy.CompatibilityName(), kRocksdbsFilterName) == 0 &&
      block.size() >= kTypeFromEnd;
  const char type = is_rocksdbs ? block[block.size() - kTypeFromEnd] : '\0';
  return type == kRibbon ? 28.5 : type == '\0' ? 15.9 : 8.7;
}

}  // namespace

bool IsLast(const ExaminedFamily& family, const ExaminedSst& sst) {
  const auto& levels = family.files.levels;
  return std::all_of(levels.begin() + sst.level + 1, levels.end(),
                     [](const rocksdb::LevelMetaData& level) {
                       return level.files.empty();
                     }) &&
         (sst.level > 0 || IsOldestOfLevel0(family, sst));
}

FilePlace FilePlaceOf(const ExaminedFamily& family, const ExaminedSst& sst) {
  // As RocksDB does when it writes a file
  // (VersionStorageInfo::RangeMightExistAfterSortedRun).
  const auto& levels = family.files.levels;
  const bool is_bottommost =
      sst.level == 0
          ? IsLast(family, sst)
          : std::none_of(levels.begin() + sst.level + 1, levels.end(),
                         [&](const rocksdb::LevelMetaData& level) {
                           return HasKeysInRange(*family.options.comparator,
                                                 level.files, sst);
                         });
  return {sst.level, is_bottommost};
}

std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family,
    const FilePlace& place) {
  rocksdb::FilterBuildingContext context(family.table);
  context.compaction_style = family.options.compaction_style;
  context.num_levels = family.options.num_levels;
  context.level_at_creation = place.level;
  // RocksDB flushes no bottommost files.
  context.is_bottommost = place.is_bottommost && place.level > 0;
  context.reason = place.level == 0
                       ? rocksdb::TableFileCreationReason::kFlush
                       : rocksdb::TableFileCreationReason::kCompaction;
  return std::unique_ptr<rocksdb::FilterBitsBuilder>(
      policy.GetBuilderWithContext(context));
}

BuiltFilter BuildFilter(const rocksdb::FilterPolicy& policy,
                        const Family& family, const FilePlace& place,
                        double keys) {
  constexpr uint64_t kQuestions = 300'000;
  const auto builder = BuilderFor(policy, family, place);
  if (builder == nullptr) {
    return {};
  }
  double keys_of_block = keys;
  if (family.table.partition_filters) {
    keys_of_block = std::clamp(
        static_cast<double>(
            builder->ApproximateNumEntries(family.table.metadata_block_size)),
        1.0, keys);
  }
  const double count = std::min(keys_of_block, kMostKeysToBuild);
  std::mt19937_64 random(1);
  for (double added = 0; added < count; ++added) {
    const uint64_t key[] = {random(), random()};
    builder->AddKey(
        rocksdb::Slice(reinterpret_cast<const char*>(key), sizeof(key)));
  }
  std::unique_ptr<const char[]> owner;
  rocksdb::Status status;
  const rocksdb::Slice block = builder->Finish(&owner, &status);
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy.GetFilterBitsReader(block));
  BuiltFilter built;
  built.bits_per_key = 8 * static_cast<double>(block.size()) / count;
  built.bytes_to_build = keys_of_block * (BytesPerKeyToBuild(policy, block) +
                                          (built.bits_per_key - 10) / 8);
  if (keys_of_block < keys) {
    // RocksDB keeps all finished partitions of a file until it is written.
    built.bytes_to_build += keys * built.bits_per_key / 8;
  }
  if (reader != nullptr) {
    built.rate = RateOf(kQuestions, /*seed=*/2, reader.get());
  }
  return built;
}

}  // namespace cassandra_bloom::tools
