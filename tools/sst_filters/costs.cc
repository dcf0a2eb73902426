// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/costs.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/filter_witness.h"

namespace cassandra_bloom::tools {
namespace {

// The sums of a level, or of all levels.
struct Sums {
  double files = 0;
  double keys = 0;
  double keys_times_rate = 0;
  double filter_keys = 0;
  double filter_bytes = 0;
  double asked_by_get = 0;
  double asked_by_seek = 0;
  // In a look-up of a key that is in no file, but in the range of every sorted
  // run. Each file of level 0 is a run, and each deeper level is one.
  double false_positives = 0;

  void Add(const ExaminedSst& sst) {
    const double weighted_keys = sst.weight * static_cast<double>(sst.keys);
    files += sst.weight;
    keys += weighted_keys;
    keys_times_rate += weighted_keys * sst.rate;
    filter_keys += sst.weight * static_cast<double>(sst.filter_keys);
    filter_bytes += sst.weight * static_cast<double>(sst.filter_bytes);
    asked_by_get += sst.answers.by_get > 0 ? sst.weight : 0;
    asked_by_seek += sst.answers.by_seek > 0 ? sst.weight : 0;
    false_positives += sst.level == 0 ? sst.weight * sst.rate : 0;
  }

  double BitsPerKey() const {
    return filter_keys > 0 ? 8 * filter_bytes / filter_keys : 0;
  }
  // The mean share of absent keys that pass, weighted by the keys of the files.
  double Rate() const { return keys > 0 ? keys_times_rate / keys : 0; }
};

struct SumsOfAll {
  std::map<int, Sums> levels;
  Sums all;
};

SumsOfAll AddUp(const ExaminedFamily& family) {
  SumsOfAll sums;
  for (const ExaminedSst& sst : family.ssts) {
    sums.levels[sst.level].Add(sst);
    sums.all.Add(sst);
  }
  for (auto& [level, of_level] : sums.levels) {
    if (level > 0) {
      of_level.false_positives = of_level.Rate();
      sums.all.false_positives += of_level.false_positives;
    }
  }
  return sums;
}

Json ToJson(const Json& level, const Sums& sums, bool is_sought) {
  return {{"level", level},
          {"files", std::llround(sums.files)},
          {"keys", std::llround(sums.keys)},
          {"filter_bytes", std::llround(sums.filter_bytes)},
          {"bits_per_key", sums.BitsPerKey()},
          {"rate", sums.Rate()},
          {"asked_by_get", std::llround(sums.asked_by_get)},
          {"asked_by_seek",
           is_sought ? Json(std::llround(sums.asked_by_seek)) : Json()},
          {"false_positives", sums.false_positives}};
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

// What a policy gives a file.
struct SampledFilter {
  double bits_per_key = 0;
  double rate = 1;
  // The peak of memory that the filter adds while its file is written.
  double bytes_to_build = 0;
};

// Lets the policy build a filter of `keys` keys, but of at most 20,000, and
// asks it. If filters are partitioned, builds one partition.
SampledFilter SampleFilter(const rocksdb::FilterPolicy& policy,
                           const Family& family, int level, bool is_bottommost,
                           double keys) {
  constexpr double kMostKeys = 20'000;
  constexpr uint64_t kQuestions = 100'000;
  const auto builder = BuilderFor(policy, family, level, is_bottommost);
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
  const double count = std::min(keys_of_block, kMostKeys);
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
  SampledFilter sample;
  sample.bits_per_key = 8 * static_cast<double>(block.size()) / count;
  const double bytes_per_key =
      BytesPerKeyToBuild(policy, block) + (sample.bits_per_key - 10) / 8;
  sample.bytes_to_build = keys_of_block * bytes_per_key;
  if (keys_of_block < keys) {
    // RocksDB keeps all finished partitions of a file until it is written.
    sample.bytes_to_build += keys * sample.bits_per_key / 8;
  }
  if (reader != nullptr) {
    sample.rate = RateOf(kQuestions, /*seed=*/2, reader.get());
  }
  return sample;
}

// `mix` needs whole keys. Without a filter in each file, it is not known how
// many bits per key there are now.
bool MayUseMix(const ExaminedFamily& family) {
  const rocksdb::ColumnFamilyOptions& options = family.options;
  const PolicySettings settings = SettingsOf(family.policy);
  return !settings.is_mix && settings.partition_key.is_whole() &&
         !options.optimize_filters_for_hits &&
         std::all_of(family.ssts.begin(), family.ssts.end(),
                     [](const ExaminedSst& sst) {
                       return sst.filter_keys > 0 || sst.keys == 0;
                     });
}

// Returns what the levels would have if all their files were written anew with
// `mix`, with as many bits per key as now, rounded to tenths.
Json ForecastOfMix(const Family& family, const SumsOfAll& now) {
  const std::unique_ptr<const rocksdb::FilterPolicy> mix(
      rocksdb::NewCassandraBloomMixPolicy(
          std::round(10 * now.all.BitsPerKey()) / 10));
  if (!mix->ValidateOptions(rocksdb::DBOptions(), family.options).ok()) {
    return nullptr;  // Too few or too many bits per key.
  }
  double bytes = 0;
  double false_positives = 0;
  for (const auto& [level, sums] : now.levels) {
    if (sums.filter_keys > 0) {
      const SampledFilter sample =
          SampleFilter(*mix, family, level, level == now.levels.rbegin()->first,
                       sums.filter_keys / sums.files);
      bytes += sums.filter_keys * sample.bits_per_key / 8;
      false_positives += (level == 0 ? sums.files : 1) * sample.rate;
    }
  }
  return {{"policy", mix->GetId()},
          {"false_positives", false_positives},
          {"filter_bytes", std::llround(bytes)}};
}

// Returns what the filter of the largest file adds to the memory while the file
// is written.
Json BytesToBuild(const ExaminedFamily& family) {
  const auto largest =
      std::max_element(family.ssts.begin(), family.ssts.end(),
                       [](const ExaminedSst& a, const ExaminedSst& b) {
                         return a.filter_keys < b.filter_keys;
                       });
  const SampledFilter sample =
      SampleFilter(*family.table.filter_policy, family, largest->level,
                   largest->level == family.ssts.back().level,
                   static_cast<double>(largest->filter_keys));
  return sample.bytes_to_build > 0 ? Json(std::llround(sample.bytes_to_build))
                                   : Json();
}

}  // namespace

std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family, int level,
    bool is_bottommost) {
  rocksdb::FilterBuildingContext context(family.table);
  context.compaction_style = family.options.compaction_style;
  context.num_levels = family.options.num_levels;
  context.level_at_creation = level;
  // RocksDB flushes no bottommost files.
  context.is_bottommost = is_bottommost && level > 0;
  context.reason = level == 0 ? rocksdb::TableFileCreationReason::kFlush
                              : rocksdb::TableFileCreationReason::kCompaction;
  return std::unique_ptr<rocksdb::FilterBitsBuilder>(
      policy.GetBuilderWithContext(context));
}

Json CostsOf(const ExaminedFamily& family) {
  const SumsOfAll sums = AddUp(family);
  const Sums& all = sums.all;
  // An extractor may have no key in its domain that could be sought.
  const bool is_sought =
      std::any_of(family.ssts.begin(), family.ssts.end(),
                  [](const ExaminedSst& sst) { return sst.was_sought; });
  Json levels = Json::array();
  for (const auto& [level, of_level] : sums.levels) {
    levels.push_back(ToJson(level, of_level, is_sought));
  }
  Json mix;
  Json notes = Json::array();
  const bool has_filters = all.filter_keys > 0 && !family.policy.empty();
  if (has_filters && MayUseMix(family)) {
    mix = ForecastOfMix(family, sums);
    if (family.table.partition_filters) {
      notes.push_back(
          "mix has more false positives than forecast in partitioned filters: "
          "3 % with partitions of 4 KiB, 13 % with 1 KiB");
    }
  }
  if (all.asked_by_get > 0 && !family.table.whole_key_filtering) {
    notes.push_back(
        "RocksDB asks the filters for prefixes alone: the false positives are "
        "those of an absent prefix, and absent keys of present prefixes all "
        "pass");
  }
  if (all.asked_by_get > 0 &&
      !SettingsOf(family.policy).partition_key.is_whole()) {
    notes.push_back(
        "the filters hold partition keys: the false positives are those of an "
        "absent partition, and absent keys of present partitions all pass");
  }
  if (static_cast<double>(family.ssts.size()) < std::round(all.files)) {
    notes.push_back("this is from a sample of " +
                    Count(family.ssts.size(), "SST file"));
  }
  return {{"levels", levels},
          {"all", levels.empty() ? Json() : ToJson("all", all, is_sought)},
          {"bytes_to_build",
           has_filters && !family.has_no_bits ? BytesToBuild(family) : Json()},
          {"mix", mix},
          {"notes", notes}};
}

}  // namespace cassandra_bloom::tools
