// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/advice.h"

#include <cmath>
#include <optional>
#include <string>

#include "filterdb/commands/output.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/doctor/filters/planned_filter.h"

namespace cassandra_bloom::tools {
namespace {

constexpr double kBitsOfMib = 8.0 * (1 << 20);

std::string Bytes(double bits) {
  return std::to_string(std::llround(bits / 8)) + " bytes";
}

int LastLevel(const FamilyReport& report) {
  return report.levels.rbegin()->first;
}

// Returns the allocation that a level would have if all its files were written
// again with `settings`.
Allocation Planned(const PolicySettings& settings, const FamilyReport& report,
                   int level) {
  const FamilyOptions& options = report.family.options;
  const LevelForecast& of_level = report.levels.at(level);
  SstPlace place;
  place.level = level;
  place.num_levels = options.num_levels;
  place.is_bottommost = level > 0 && level == LastLevel(report);
  place.level_ratio = options.LevelRatio();
  const FilterType type =
      settings.TypeFor(place.is_bottommost, options.partition_filters &&
                                                !options.whole_key_filtering);
  const PlannedFilter filter =
      PlanFilter(type, settings.sizing.For(place), level);
  return {of_level.keys * filter.bits_per_key,
          static_cast<double>(of_level.runs) * filter.rate};
}

Allocation Planned(const PolicySettings& settings, const FamilyReport& report) {
  Allocation sum;
  for (const auto& level : report.levels) {
    sum.Add(Planned(settings, report, level.first));
  }
  return sum;
}

// Returns whether the change from `now` to `then` is worth a compaction. The
// change must save a third of the false positives, and at least 0.001 false
// positives per read.
bool SavesFalsePositives(const Allocation& now, const Allocation& then) {
  return now.false_positives >= 1.5 * then.false_positives &&
         now.false_positives >= 0.001 + then.false_positives;
}

// Returns whether the change from `now` to `then` is worth a compaction. The
// change must save a fifth of the memory, and at least 1 MiB.
bool SavesMemory(const Allocation& now, const Allocation& then) {
  return then.bits <= 0.8 * now.bits && then.bits <= now.bits - kBitsOfMib;
}

// ---- More bits than the average ----

// Returns advice if the filters take more memory than the policy's average bits
// per key allow. The excess must be above 2 % and above 1 MiB.
std::optional<Diagnosis> AboveTheAverage(const FamilyReport& report) {
  const PolicySettings& settings = report.family.options.settings;
  if (!settings.sizing.is_monkey) {
    return std::nullopt;
  }
  const MonkeyAllocation monkey =
      settings.sizing.Monkey(report.family.options.level_ratio);
  const LevelForecast& all = report.all;
  const double average = monkey.RealAverage() * all.keys;
  const auto is_above = [&](double bits, double factor) {
    return bits > factor * average && bits > average + kBitsOfMib;
  };
  // With optimize_filters_for_memory, one filter may be a third larger than
  // planned (MemoryFit). Many filters together are as large as planned, but few
  // filters together may also be a third larger.
  const bool fits_memory = settings.may_fit_memory &&
                           report.family.options.optimize_filters_for_memory;
  if (!is_above(all.as_it_is.bits, fits_memory ? 4 / 3.0 : 1.02)) {
    return std::nullopt;
  }
  Diagnosis advice;
  advice.fault = false;
  advice.what = "the filters take " +
                ThreeDigits(all.BitsPerKey(all.as_it_is)) + " bits per key, " +
                Bytes(all.as_it_is.bits - average) +
                " more than with the policy's average of " +
                ThreeDigits(monkey.RealAverage()) + ": ";
  if (is_above(Planned(settings, report).bits, 1.02)) {
    const int last = LastLevel(report);
    const auto share = [&](int level) {
      const auto found = report.levels.find(level);
      return Percent(
          found == report.levels.end() ? 0 : found->second.keys / all.keys);
    };
    advice.what += "that is the average of full levels, each with " +
                   ThreeDigits(monkey.level_ratio) +
                   " times the keys of the one above, and this database is "
                   "young, or has much in small levels: level 0 has " +
                   share(0) + " of the keys" +
                   (last > 0 ? ", and the last level, " + std::to_string(last) +
                                   ", has " + share(last)
                             : "");
    advice.to_do =
        "nothing, as compactions into the last level end it; if memory is "
        "short until then, bits_per_key in the options of the policy, without "
        "allocation and mix, then compact";
  } else {
    advice.what +=
        "files have more bits than the policy gives their levels, because "
        "RocksDB moved them down unchanged, or because they were written with "
        "other options";
    advice.to_do =
        "compact (CompactRange with bottommost_level_compaction=kForce)";
  }
  return advice;
}

// ---- Mix ----

bool IsMix(const PolicySettings& settings) {
  return settings.sizing.is_monkey &&
         settings.bottommost_filter == FilterType::kRibbon;
}

// Returns whether sst_filters doctor can forecast what `mix` would do. Dynamic
// levels are necessary, because `mix` otherwise gives all levels the same bits.
// There is none for a policy that is `mix` already, with any `filter`.
// The options must give every file a filter. Otherwise the user has already
// chosen how to spread the bits.
bool HasForecastOfMix(const FamilyReport& report) {
  const FamilyOptions& options = report.family.options;
  return !report.family.form_is_guessed && !IsMix(options.settings) &&
         options.settings.partition_key.is_whole() && options.levelled &&
         options.dynamic_levels && !options.filters_for_hits &&
         report.files.count(FilterState::kNoneExpected) == 0;
}

// Returns the settings of `mix` with the fewest bits per key that give no more
// false positives than today's filters. Tries tenths of a bit, from today's
// bits per key upwards.
std::optional<PolicySettings> MixFor(const FamilyReport& report) {
  const LevelForecast& all = report.all;
  const double bits_now = all.BitsPerKey(all.as_it_is);
  for (int tenths = static_cast<int>(std::lround(10 * bits_now));
       tenths < 10 * kMaxBitsPerKey; ++tenths) {
    PolicySettings mix =
        SettingsOf("cassandra_bloom:mix:" + FormatNumber(tenths / 10.0));
    if (mix.error.empty() &&
        Planned(mix, report).false_positives <= all.as_it_is.false_positives) {
      return mix;
    }
  }
  return std::nullopt;
}

void ForecastMix(FamilyReport* report) {
  const auto mix = MixFor(*report);
  if (!mix) {
    return;
  }
  report->mix_policy = mix->id;
  report->all.mix = Planned(*mix, *report);
  for (auto& [level, forecast] : report->levels) {
    forecast.mix = Planned(*mix, *report, level);
  }
}

// Returns whether `mix` is worth a compaction. Returns false if only an upper
// limit of today's false positives is known, because the gain is then unknown.
bool MixPays(const FamilyReport& report) {
  const Allocation& now = report.all.as_it_is;
  const auto& mix = report.all.mix;
  return mix && !now.is_at_most && mix->bits <= now.bits &&
         (SavesFalsePositives(now, *mix) || SavesMemory(now, *mix));
}

std::string WhatMixGives(const FamilyReport& report) {
  const Allocation& now = report.all.as_it_is;
  const Allocation& mix = *report.all.mix;
  return "take about " + Bytes(mix.bits) + ", not " + Bytes(now.bits) +
         ", and give " + ThreeDigits(mix.false_positives) +
         " false positives, not " + ThreeDigits(now.false_positives);
}

Diagnosis TryMix(const FamilyReport& report) {
  Diagnosis advice;
  advice.fault = false;
  advice.what =
      "with more bits in small levels, and RocksDB's Ribbon filter "
      "in the last one, filters would " +
      WhatMixGives(report);
  advice.to_do =
      "if only RocksDB reads the filters: filter_policy=" + report.mix_policy +
      ", then compact (CompactRange with "
      "bottommost_level_compaction=kForce)";
  if (report.family.in_use == PolicyInUse::kCassandra) {
    advice.to_do +=
        ". Until then, the filters of blocks=cassandra are not used";
  }
  return advice;
}

// ---- Monkey ----

// Returns whether allocation=monkey is worth a compaction. It gains nothing if
// all files are in level 0.
bool MonkeyPays(const FamilyReport& report) {
  const FamilyOptions& options = report.family.options;
  const LevelForecast& all = report.all;
  return options.levelled && !options.filters_for_hits && all.runs >= 3 &&
         LastLevel(report) > 0 &&
         report.files.count(FilterState::kNoneExpected) == 0 &&
         !options.settings.sizing.is_monkey &&
         SavesFalsePositives(all.as_it_is, all.monkey);
}

Diagnosis TryMonkey(const FamilyReport& report) {
  const FamilyOptions& options = report.family.options;
  const std::string& policy = options.policy;
  const LevelForecast& all = report.all;
  // allocation=monkey cannot be combined with these options.
  const bool has_other_sizes = policy.find(":fp:") != std::string::npos ||
                               policy.find(":level_") != std::string::npos ||
                               options.settings.sizing.has_bottommost;
  return {
      "spread over the levels by their sizes, the same memory would at best "
      "give " +
          ThreeDigits(all.monkey.false_positives) + " false positives, not " +
          ThreeDigits(all.as_it_is.false_positives),
      std::string(has_other_sizes
                      ? "bits_per_key and allocation=monkey in the options of "
                        "the policy, in place of its other sizes"
                      : "allocation=monkey in the options of the policy") +
          (options.dynamic_levels
               ? ""
               : " (with level_compaction_dynamic_level_bytes=true)") +
          ", then compact",
      /*fault=*/false};
}

}  // namespace

void Advise(FamilyReport* report) {
  // True if RocksDB's own policy is in use, and no file has a fault. The only
  // diagnosis is then that cassandra_bloom is not on (NotOn).
  const bool is_rocksdbs = report->family.in_use == PolicyInUse::kRocksdbs &&
                           report->diagnoses.size() == 1 &&
                           report->diagnoses[0].files.empty();
  if (report->levels.empty() || (HasFault(report->diagnoses) && !is_rocksdbs)) {
    return;
  }
  if (HasForecastOfMix(*report)) {
    ForecastMix(report);
  }
  if (is_rocksdbs) {
    if (MixPays(*report)) {
      report->diagnoses[0].to_do +=
          "; or, if only RocksDB reads the filters, with filter_policy=" +
          report->mix_policy +
          ": when all files are compacted, the filters will " +
          WhatMixGives(*report);
    }
  } else if (const auto above = AboveTheAverage(*report)) {
    report->diagnoses.push_back(*above);
  } else if (MixPays(*report)) {
    report->diagnoses.push_back(TryMix(*report));
  } else if (MonkeyPays(*report)) {
    report->diagnoses.push_back(TryMonkey(*report));
  }
}

}  // namespace cassandra_bloom::tools
