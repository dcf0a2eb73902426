// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/costs.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/level_ratio.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/filter_witness.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

namespace {

Sums SumsOf(const ExaminedSst& sst) {
  Sums sums;
  sums.files = 1;
  sums.keys = static_cast<double>(sst.keys);
  sums.keys_times_rate = sums.keys * sst.rate;
  sums.filter_keys = static_cast<double>(sst.filter_keys);
  sums.filter_bytes = static_cast<double>(sst.filter_bytes);
  sums.asked_by_get = sst.answers.by_get > 0 ? 1 : 0;
  sums.asked_by_seek = sst.answers.by_seek > 0 ? 1 : 0;
  sums.false_positives = sst.rate;
  return sums;
}

constexpr double Sums::*kParts[] = {
    &Sums::files,         &Sums::keys,           &Sums::keys_times_rate,
    &Sums::filter_keys,   &Sums::filter_bytes,   &Sums::asked_by_get,
    &Sums::asked_by_seek, &Sums::false_positives};

// RocksDB's readers find the type in the fifth byte from the end, and our
// trailer has 0 there (block_form.h).
FilterType TypeOf(const FilterPolicy& policy, const Slice& block) {
  constexpr size_t kTypeFromEnd = 5;
  constexpr char kRibbon = -2;
  if (std::strcmp(policy.CompatibilityName(), kRocksdbsFilterName) != 0 ||
      block.size() < kTypeFromEnd) {
    return FilterType::kCassandra;
  }
  const char type = block[block.size() - kTypeFromEnd];
  return type == kRibbon ? FilterType::kRibbon
         : type == 0     ? FilterType::kCassandra
                         : FilterType::kBloom;
}

// Measured: the peak for one bottommost SST file of 3 million keys at 10 bits
// per key, minus the peak without a filter, with RocksDB 7.8.3. RocksDB's
// builders keep 8 bytes a key, and ours keep 16. A Ribbon filter is solved in
// 20 more bytes a key.
double BytesPerKeyToBuild(FilterType type, double bits_per_key) {
  const double at_ten_bits = type == FilterType::kRibbon  ? 28.5
                             : type == FilterType::kBloom ? 8.7
                                                          : 15.9;
  return at_ten_bits + (bits_per_key - 10) / 8;
}

// Returns what is wrong with the bits per key, or "". Compares them with the
// policy's average, in relation, before anything else is computed from them.
std::string AdviceAboutBits(const FamilyOptions& options, const Sums& all) {
  constexpr double kTolerance = 1.1;
  const PolicySettings settings = SettingsOf(options.policy);
  if (!settings.sizing.is_monkey) {
    return "";
  }
  const double average =
      settings.sizing
          .Monkey(LevelRatioOf(options.options.max_bytes_for_level_multiplier))
          .RealAverage();
  if (all.BitsPerKey() <= kTolerance * average) {
    return "";
  }
  return "the filters have " + ThreeDigits(all.BitsPerKey()) +
         " bits per key, and the policy's average is " + ThreeDigits(average) +
         ": that is the average of full levels. Either this database is "
         "younger, or RocksDB moved files down unchanged; then compact all "
         "(CompactRange with bottommost_level_compaction=kForce)";
}

// `mix` needs dynamic levels and whole keys.
bool MayUseMix(const FamilyOptions& options) {
  const PolicySettings settings = SettingsOf(options.policy);
  const bool is_mix = settings.sizing.is_monkey &&
                      settings.bottommost_filter == FilterType::kRibbon;
  return !is_mix && settings.partition_key.is_whole() &&
         options.options.compaction_style ==
             ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
         options.options.level_compaction_dynamic_level_bytes &&
         !options.options.optimize_filters_for_hits;
}

// Returns what the levels would have if all their files were written anew with
// `mix`, with as many bits per key as now, rounded to tenths.
Json ForecastOfMix(const FamilyOptions& options,
                   const std::map<int, Sums>& levels, const Sums& all) {
  const std::unique_ptr<const FilterPolicy> mix(
      ROCKSDB_NAMESPACE::NewCassandraBloomMixPolicy(
          std::round(10 * all.BitsPerKey()) / 10));
  if (!mix->ValidateOptions(DBOptions(), options.options).ok()) {
    return nullptr;  // Too few or too many bits per key.
  }
  double bytes = 0;
  double false_positives = 0;
  for (const auto& [level, sums] : levels) {
    const SampledFilter sample =
        SampleFilter(*mix, options, level, level == levels.rbegin()->first,
                     sums.filter_keys / sums.files)
            .value_or(SampledFilter());
    bytes += sums.filter_keys * sample.bits_per_key / 8;
    false_positives += (level == 0 ? sums.files : 1) * sample.rate;
  }
  return {{"policy", mix->GetId()},
          {"false_positives", false_positives},
          {"filter_bytes", std::llround(bytes)}};
}

}  // namespace

Sums& Sums::operator+=(const Sums& other) {
  for (double Sums::*const part : kParts) {
    this->*part += other.*part;
  }
  return *this;
}

std::map<int, Sums> SumsOfLevels(const ExaminedFamily& family) {
  std::map<int, Sums> levels;
  for (const ExaminedSst& sst : family.ssts) {
    levels[sst.level] += SumsOf(sst);
  }
  for (auto& [level, sums] : levels) {
    const double scale =
        static_cast<double>(family.files_in_level.at(level)) / sums.files;
    for (double Sums::*const part : kParts) {
      sums.*part *= scale;
    }
    if (level > 0) {
      sums.false_positives = sums.Rate();
    }
  }
  return levels;
}

std::optional<SampledFilter> SampleFilter(const FilterPolicy& policy,
                                          const FamilyOptions& options,
                                          int level, bool is_bottommost,
                                          double keys) {
  constexpr double kMostKeys = 20'000;
  constexpr uint64_t kQuestions = 100'000;
  FilterBuildingContext context(options.table);
  context.compaction_style = options.options.compaction_style;
  context.num_levels = options.options.num_levels;
  context.level_at_creation = level;
  // RocksDB flushes no bottommost files.
  context.is_bottommost = is_bottommost && level > 0;
  context.reason = level == 0 ? TableFileCreationReason::kFlush
                              : TableFileCreationReason::kCompaction;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) {
    return std::nullopt;
  }
  keys = std::max(keys, 1.0);
  double keys_of_block = keys;
  if (options.table.partition_filters) {
    keys_of_block = std::clamp(
        static_cast<double>(
            builder->ApproximateNumEntries(options.table.metadata_block_size)),
        1.0, keys);
  }
  const double count = std::min(keys_of_block, kMostKeys);
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
  SampledFilter sample;
  sample.bits_per_key = 8 * static_cast<double>(block.size()) / count;
  // RocksDB keeps all finished partitions of a file until it is written.
  const double finished =
      keys_of_block < keys ? keys * sample.bits_per_key / 8 : 0;
  sample.bytes_to_build =
      finished + keys_of_block * BytesPerKeyToBuild(TypeOf(policy, block),
                                                    sample.bits_per_key);
  if (reader != nullptr) {
    sample.rate = static_cast<double>(PassedOf(kQuestions, 2, reader.get())) /
                  static_cast<double>(kQuestions);
  }
  return sample;
}

Json Forecasts(const ExaminedFamily& family, const std::map<int, Sums>& levels,
               const Sums& all) {
  const FamilyOptions& options = family.options;
  Json forecasts = {
      {"bytes_to_build", nullptr}, {"mix", nullptr}, {"notes", Json::array()}};
  if (all.filter_keys == 0 || options.policy.empty()) {
    return forecasts;
  }
  const auto largest =
      std::max_element(family.ssts.begin(), family.ssts.end(),
                       [](const ExaminedSst& a, const ExaminedSst& b) {
                         return a.filter_keys < b.filter_keys;
                       });
  const auto sample =
      SampleFilter(*options.table.filter_policy, options, largest->level,
                   largest->level == levels.rbegin()->first,
                   static_cast<double>(largest->filter_keys));
  if (sample) {
    forecasts["bytes_to_build"] = std::llround(sample->bytes_to_build);
  }
  const std::string advice = AdviceAboutBits(options, all);
  if (!advice.empty()) {
    forecasts["notes"].push_back(advice);
  } else if (MayUseMix(options)) {
    forecasts["mix"] = ForecastOfMix(options, levels, all);
    if (options.table.partition_filters) {
      forecasts["notes"].push_back(
          "mix has more false positives than forecast in partitioned filters: "
          "3 % with partitions of 4 KiB, 13 % with 1 KiB");
    }
  }
  return forecasts;
}

}  // namespace cassandra_bloom::tools
