// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/forecast.h"

#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cassandra_bloom/filter_policy.h"
#include "filterdb/commands/output.h"
#include "plugin/policy/level_ratio.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/doctor/sample_filter.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;

namespace {

Place PlaceIn(const JudgedFamily& judged, int level) {
  return {level, level > 0 && level == judged.last_level()};
}

// Returns the filters that the levels would have if all their files were
// written anew with `policy`.
PlannedFilters Plan(const FilterPolicy& policy, const JudgedFamily& judged) {
  PlannedFilters planned;
  for (const auto& [level, sums] : judged.levels) {
    const auto files = static_cast<double>(std::max<uint64_t>(1, sums.files));
    const SampledFilter sample =
        SampleFilter(policy, judged.family.options, PlaceIn(judged, level),
                     sums.filter_keys / files);
    planned.bytes += sums.filter_keys * sample.bits_per_key / 8;
    planned.false_positives += (level == 0 ? files : 1) * sample.rate;
  }
  return planned;
}

// Returns what is wrong with the bits per key, or "". Compares them with those
// that the policy would give, in relation, before anything else is computed
// from them.
std::string AdviceAboutBits(const JudgedFamily& judged,
                            const PlannedFilters& planned) {
  const LevelSums& all = judged.all;
  const FamilyOptions& options = judged.family.options;
  const auto per_key = [&](double bytes) {
    return ThreeDigits(8 * bytes / all.filter_keys) + " bits per key";
  };
  // With optimize_filters_for_memory, one filter may be a third larger than
  // planned (MemoryFit). The sizes of partitions vary.
  const bool may_be_larger = options.table.optimize_filters_for_memory ||
                             options.table.partition_filters;
  const double tolerance = may_be_larger ? 4 / 3.0 : 1.1;
  if (all.bytes_of_blocks > tolerance * planned.bytes) {
    return "the filters have " + per_key(all.bytes_of_blocks) +
           ", and the policy would now give them " + per_key(planned.bytes) +
           ": RocksDB moved files down unchanged, or they were written with "
           "other options. Compact all (CompactRange with "
           "bottommost_level_compaction=kForce)";
  }
  const PolicySettings settings = SettingsOf(options.policy);
  if (settings.sizing.is_monkey) {
    const double average =
        settings.sizing
            .Monkey(
                LevelRatioOf(options.options.max_bytes_for_level_multiplier))
            .RealAverage();
    if (8 * planned.bytes > 1.05 * average * all.filter_keys) {
      return "the filters have " + per_key(all.bytes_of_blocks) +
             ", and the policy's average is " + ThreeDigits(average) +
             ": that is the average of full levels, and this database is "
             "young, or has much in small levels. Compactions into the last "
             "level end it";
    }
  }
  return "";
}

// Returns whether `mix` can be compared with the filters that there are: it
// needs dynamic levels and whole keys, and every filter must be used.
bool HasForecastOfMix(const JudgedFamily& judged) {
  const FamilyOptions& options = judged.family.options;
  const PolicySettings settings = SettingsOf(options.policy);
  const bool is_mix = settings.sizing.is_monkey &&
                      settings.bottommost_filter == FilterType::kRibbon;
  return !is_mix && settings.partition_key.is_whole() &&
         options.options.compaction_style ==
             ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
         options.options.level_compaction_dynamic_level_bytes &&
         !options.options.optimize_filters_for_hits &&
         std::all_of(judged.ssts.begin(), judged.ssts.end(),
                     [](const JudgedSst& sst) {
                       return sst.use == Use::kUsed || sst.use == Use::kNoKeys;
                     });
}

// Tries tenths of a bit, from today's bits per key upwards.
void ForecastMix(const JudgedFamily& judged, Forecast* forecast) {
  constexpr int kMostTries = 40;
  const int tenths_now =
      static_cast<int>(std::lround(10 * judged.all.BitsPerKey()));
  for (int tenths = tenths_now; tenths < tenths_now + kMostTries; ++tenths) {
    const std::unique_ptr<const FilterPolicy> mix(
        ROCKSDB_NAMESPACE::NewCassandraBloomMixPolicy(tenths / 10.0));
    if (!mix->ValidateOptions(DBOptions(), judged.family.options.options)
             .ok()) {
      continue;
    }
    const PlannedFilters planned = Plan(*mix, judged);
    if (planned.false_positives <= judged.all.false_positives) {
      forecast->mix_policy = mix->GetId();
      forecast->mix = planned;
      return;
    }
  }
}

}  // namespace

Forecast ForecastOf(const JudgedFamily& judged) {
  Forecast forecast;
  const FamilyOptions& options = judged.family.options;
  if (judged.all.filter_keys == 0 || !options.not_asked.empty() ||
      options.policy.empty() || options.is_read_only ||
      !options.refused.empty()) {
    return forecast;
  }
  const FilterPolicy& policy = *options.table.filter_policy;
  const auto largest =
      std::max_element(judged.ssts.begin(), judged.ssts.end(),
                       [](const JudgedSst& a, const JudgedSst& b) {
                         return a.sst.filter_keys < b.sst.filter_keys;
                       });
  const auto keys = static_cast<double>(largest->sst.filter_keys);
  const SampledFilter sample =
      SampleFilter(policy, options, PlaceIn(judged, largest->sst.level), keys);
  if (!sample.is_none) {
    forecast.bytes_to_build = sample.BytesToBuild();
    forecast.largest_sst = largest->sst.name;
  }
  forecast.advice = AdviceAboutBits(judged, Plan(policy, judged));
  if (forecast.advice.empty() && HasForecastOfMix(judged)) {
    ForecastMix(judged, &forecast);
  }
  return forecast;
}

}  // namespace cassandra_bloom::tools
