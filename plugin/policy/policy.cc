// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy.h"

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/format_number.h"
#include "plugin/policy/bits_builder.h"
#include "plugin/policy/bits_reader.h"
#include "plugin/policy/policy_options.h"
#include "plugin/policy/report.h"
#include "plugin/policy/running_rocksdb.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

bool IsLeveled(const FilterBuildingContext& context) {
  return context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
}

std::string BitsText(const std::optional<Sizing>& sizing) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f",
                sizing ? sizing->bits_per_key() : 0);
  return text;
}

// Returns a text about the average of all levels. The text names assumed sizes
// of levels, because RocksDB does not tell a policy the real ones.
std::string AverageText(const MonkeyAllocation& monkey) {
  char text[100];
  std::snprintf(text, sizeof(text),
                "; on average %.3f if each level has %g times the keys of the "
                "one above",
                monkey.RealAverage(), monkey.level_ratio);
  return text;
}

constexpr char kNoLevelRatio[] =
    "; the same everywhere, because levels get bits by their sizes only in "
    "leveled compaction with level_compaction_dynamic_level_bytes and a single "
    "path, in each column family that has this policy, and only once a "
    "database was opened with it";

}  // namespace

const char* CassandraBloomPolicy::CompatibilityName() const {
  // RocksDB calls this function whenever it opens an SST file, even in a
  // read-only open, which does not call ValidateOptions.
  ReportWrongSettingsOnce(nullptr);
  return settings_.block_form == BlockForm::kBesideRocksdb
             ? kRocksdbsFilterName
             : filter_name_.c_str();
}

FilterBitsBuilder* CassandraBloomPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  ReportWrongSettingsOnce(context.info_log);
  LogLevelsOnce(context);
  const std::optional<Sizing> sizing = settings_.sizing.For(PlaceOf(context));
  if (!sizing) {
    return nullptr;
  }
  FilterBitsBuilder* const builder = NewBuilder(*sizing, context);
  if (builder == nullptr) {
    ReportNoMemory(context.info_log, /*num_entries=*/0);
  }
  return builder;
}

FilterBitsBuilder* CassandraBloomPolicy::NewBuilder(
    const Sizing& sizing, const FilterBuildingContext& context) const {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table =
      context.table_options;
  const FilterType type =
      settings_.TypeFor(context.is_bottommost,
                        table.partition_filters && !table.whole_key_filtering);
  if (type != FilterType::kCassandra) {
    return rocksdbs_policies_.NewBuilder(type, sizing.millibits_per_key,
                                         context);
  }
  const bool fits_memory =
      table.optimize_filters_for_memory && settings_.may_fit_memory;
  return new (std::nothrow) CassandraBloomBitsBuilder(
      sizing, settings_.partition_key, settings_.block_form, context,
      &statistics_, fits_memory ? &memory_fit_ : nullptr);
}

SstPlace CassandraBloomPolicy::PlaceOf(
    const FilterBuildingContext& context) const {
  SstPlace place;
  place.level = context.level_at_creation;
  place.num_levels = context.num_levels;
  place.is_bottommost = context.is_bottommost;
  if (IsLeveled(context)) {
    place.level_ratio = level_ratio_.Get();
  }
  return place;
}

FilterBitsReader* CassandraBloomPolicy::GetFilterBitsReader(
    const Slice& contents) const {
  return settings_.block_form == BlockForm::kBesideRocksdb
             ? ReaderBesideRocksdb(contents)
             : NewBitsReader(contents, settings_.partition_key, &statistics_);
}

FilterBitsReader* CassandraBloomPolicy::ReaderBesideRocksdb(
    const Slice& contents) const {
  const auto filter_db = WithoutTrailer(contents.ToStringView());
  // RocksDB writes this block for a partition in which no key has a prefix.
  // RocksDB's reader says that no key matches the block. Our reader says that
  // every key matches, because otherwise MultiGet would not find the keys of
  // that partition.
  if (IsRocksdbsWithoutKeys(contents.ToStringView())) {
    return NewMatchAllReader();
  }
  if (!filter_db && contents.size() > sizeof(kTrailer)) {
    return rocksdbs_policies_.NewReader(contents);
  }
  return NewBitsReader(filter_db ? Slice(*filter_db) : contents,
                       settings_.partition_key, &statistics_);
}

const void* CassandraBloomPolicy::GetOptionsPtr(const std::string& name) const {
  return name == kStatisticsPart ? &statistics_
                                 : FilterPolicy::GetOptionsPtr(name);
}

Status CassandraBloomPolicy::PrepareOptions(
    const ConfigOptions& /*config_options*/) {
  return SettingsStatus();
}

Status CassandraBloomPolicy::ValidateOptions(
    const DBOptions& db_options, const ColumnFamilyOptions& cf_options) const {
  {
    // Forgets what was logged, because RocksDB calls this function when it
    // opens a database. The new LOG object may have the address of an earlier
    // LOG object. Nothing would then be logged for the new LOG object.
    const std::lock_guard<std::mutex> lock(levels_mutex_);
    levels_logged_.clear();
  }
  level_ratio_.See(db_options, cf_options);
  return SettingsStatus();
}

Status CassandraBloomPolicy::ConfigureOptions(
    const ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  const std::optional<std::string> text =
      std::exchange(pending_text_, std::nullopt);
  if (!options.empty()) {
    if (!text) {
      return CannotBeChanged(options.begin()->first + "=" +
                             options.begin()->second);
    }
    settings_ = SettingsOf(*text, OptionTexts(options.begin(), options.end()));
    filter_name_ = FilterNameFor(settings_.partition_key);
  }
  return SettingsStatus();
}

Status CassandraBloomPolicy::ParseStringOptions(
    const ConfigOptions& /*config_options*/, const std::string& options) {
  return CannotBeChanged(options);
}

Status CassandraBloomPolicy::CannotBeChanged(const std::string& change) const {
  return Status::InvalidArgument(
      settings_.id + ": '" + change +
      "': a filter policy cannot be changed; give the whole string of the new "
      "one, such as filter_policy=cassandra_bloom:12");
}

Status CassandraBloomPolicy::SettingsStatus() const {
  return settings_.error.empty() ? Status::OK()
                                 : Status::InvalidArgument(settings_.error);
}

void CassandraBloomPolicy::LogLevelsOnce(
    const FilterBuildingContext& context) const try {
  // num_levels is negative for SstFileWriter, whose files have no level.
  if (settings_.sizing.IsUniform() || context.info_log == nullptr ||
      context.num_levels < 0) {
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(levels_mutex_);
    if (!levels_logged_.emplace(context.info_log, context.column_family_name)
             .second) {
      return;
    }
  }
  ROCKSDB_NAMESPACE::Info(context.info_log,
                          "[%s] %s: bits per key in files of %s",
                          context.column_family_name.c_str(),
                          settings_.id.c_str(), LevelsText(context).c_str());
} catch (const std::bad_alloc&) {
  // Continues, because only the line in the LOG is lost. There may be enough
  // memory for the filter.
}

std::string CassandraBloomPolicy::LevelsText(
    const FilterBuildingContext& context) const {
  const LevelSizing& sizing = settings_.sizing;
  SstPlace place = PlaceOf(context);
  place.is_bottommost = false;
  std::string levels;
  for (place.level = 0; place.level < place.num_levels; ++place.level) {
    levels += (place.level == 0 ? "level " : ", level ") +
              std::to_string(place.level) + ": " + BitsText(sizing.For(place));
  }
  place.level = place.num_levels - 1;
  place.is_bottommost = true;
  if (sizing.has_bottommost || sizing.is_monkey) {
    levels += ", bottommost: " + BitsText(sizing.For(place));
  }
  if (settings_.filter == FilterType::kRibbon ||
      settings_.bottommost_filter == FilterType::kRibbon) {
    levels += " (Ribbon filters take about 0.7 of these bits)";
  }
  if (sizing.is_monkey) {
    levels += place.level_ratio ? AverageText(sizing.Monkey(*place.level_ratio))
                                : kNoLevelRatio;
  }
  return levels;
}

void CassandraBloomPolicy::ReportWrongSettingsOnce(Logger* info_log) const {
  if (!settings_.error.empty() && !reported_.exchange(true)) {
    ReportError(info_log, "%s; no filters are built", settings_.error.c_str());
  }
}

// ---- The functions of the public header that make a policy ----

namespace {

const ROCKSDB_NAMESPACE::FilterPolicy* NewPolicyWith(
    const PolicySettings& settings) {
  return RocksdbReleaseMatches() ? new CassandraBloomPolicy(settings) : nullptr;
}

// Returns the settings of a string, because fp_chance 0 is an error in a
// string, but in CassandraBloomOptions it means that no chance is given.
PolicySettings SettingsOfString(const char* before, double number) {
  return SettingsOf(kPolicyName + (before + FormatNumber(number)));
}

}  // namespace
}  // namespace cassandra_bloom

namespace ROCKSDB_NAMESPACE {

using cassandra_bloom::NewPolicyWith;
using cassandra_bloom::SettingsOfString;

const FilterPolicy* NewCassandraBloomPolicy(double bits_per_key) {
  CassandraBloomOptions options;
  options.bits_per_key = bits_per_key;
  return NewCassandraBloomPolicyFromOptions(options);
}

const FilterPolicy* NewCassandraBloomPolicyBesideRocksdb(double bits_per_key) {
  CassandraBloomOptions options;
  options.bits_per_key = bits_per_key;
  options.blocks = "rocksdb";
  return NewCassandraBloomPolicyFromOptions(options);
}

const FilterPolicy* NewCassandraBloomMixPolicy(double bits_per_key) {
  return NewPolicyWith(SettingsOfString(":mix:", bits_per_key));
}

const FilterPolicy* NewCassandraBloomPolicyForFpChance(double fp_chance) {
  return NewPolicyWith(SettingsOfString(":fp:", fp_chance));
}

const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options) {
  return NewPolicyWith(cassandra_bloom::Compile(options));
}

}  // namespace ROCKSDB_NAMESPACE
