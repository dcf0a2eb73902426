// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy.h"

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "plugin/policy/bits_builder.h"
#include "plugin/policy/bits_reader.h"
#include "plugin/policy/report.h"

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

std::string BitsText(double bits_per_key) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", bits_per_key);
  return text;
}

std::string BitsText(const std::optional<Sizing>& sizing) {
  return BitsText(sizing ? sizing->bits_per_key() : 0);
}

// Returns a text about the average bits per key. The text names assumed sizes
// of levels, because RocksDB does not tell a policy the real ones.
std::string AverageText(const MonkeyAllocation& monkey) {
  constexpr double kFactor = 1.02;
  char text[300];
  std::snprintf(
      text, sizeof(text),
      "; on average %.3f if each level has %g times the keys of the one above, "
      "more while the database is young or level 0 large (%.3f if all keys are "
      "in level 0), and at most %.3f once the last level has %.1f times the "
      "keys of all others",
      monkey.average_bits_per_key, monkey.size_ratio, monkey.MostBitsPerKey(),
      kFactor * monkey.average_bits_per_key, monkey.LastLevelRatioFor(kFactor));
  return text;
}

// HasDynamicLevels and NumLevels return the values that RocksDB will use.
// RocksDB validates options as they are given, and changes them afterwards
// (SanitizeOptions in db/column_family.cc).
bool HasDynamicLevels(const DBOptions& db_options,
                      const ColumnFamilyOptions& cf_options) {
  const auto& paths =
      cf_options.cf_paths.empty() ? db_options.db_paths : cf_options.cf_paths;
  return cf_options.level_compaction_dynamic_level_bytes && paths.size() <= 1;
}

int NumLevels(const ColumnFamilyOptions& cf_options) {
  return std::max(2, cf_options.num_levels);
}

// Returns an error if allocation=monkey cannot tell which level of this column
// family is the last one with data.
Status CheckMonkey(const MonkeyAllocation& monkey, const DBOptions& db_options,
                   const ColumnFamilyOptions& cf_options) {
  if (cf_options.compaction_style != ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    return Status::OK();
  }
  const bool has_dynamic_levels = HasDynamicLevels(db_options, cf_options);
  if (!monkey.bottom_level) {
    return has_dynamic_levels
               ? Status::OK()
               : Status::InvalidArgument(
                     "cassandra_bloom: allocation=monkey needs either "
                     "level_compaction_dynamic_level_bytes=true and a single "
                     "path, or bottom_level= set to the last level that will "
                     "hold data");
  }
  if (has_dynamic_levels) {
    return Status::InvalidArgument(
        "cassandra_bloom: bottom_level= is for "
        "level_compaction_dynamic_level_bytes=false; leave it out here, "
        "because the last level holds data");
  }
  if (*monkey.bottom_level >= NumLevels(cf_options)) {
    return Status::InvalidArgument(
        "cassandra_bloom: bottom_level=" +
        std::to_string(*monkey.bottom_level) +
        " is not below num_levels=" + std::to_string(NumLevels(cf_options)));
  }
  return Status::OK();
}

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
  FilterBitsBuilder* const builder =
      NewBuilder(TypeFor(context), *sizing, context);
  if (builder == nullptr) {
    ReportNoMemory(context.info_log, /*num_entries=*/0);
  }
  return builder;
}

FilterType CassandraBloomPolicy::TypeFor(
    const FilterBuildingContext& context) const {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table =
      context.table_options;
  return settings_.TypeFor(
      context.is_bottommost,
      table.partition_filters && !table.whole_key_filtering);
}

MemoryFit* CassandraBloomPolicy::MemoryFitFor(
    const FilterBuildingContext& context) const {
  return context.table_options.optimize_filters_for_memory &&
                 settings_.may_fit_memory
             ? &memory_fit_
             : nullptr;
}

FilterBitsBuilder* CassandraBloomPolicy::NewBuilder(
    FilterType type, const Sizing& sizing,
    const FilterBuildingContext& context) const {
  return type == FilterType::kCassandra
             ? new (std::nothrow) CassandraBloomBitsBuilder(
                   sizing, settings_.partition_key, settings_.block_form,
                   context, &statistics_, MemoryFitFor(context))
             : rocksdbs_policies_.NewBuilder(type, sizing.millibits_per_key,
                                             context);
}

SstPlace CassandraBloomPolicy::PlaceOf(
    const FilterBuildingContext& context) const {
  SstPlace place;
  place.level = context.level_at_creation;
  place.num_levels = context.num_levels;
  place.is_bottommost = context.is_bottommost;
  place.is_leveled =
      context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
      (!settings_.is_mix ||
       (filled_from_last_level_ && !filled_from_first_level_));
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
  if (!settings_.error.empty() || !settings_.sizing.monkey) {
    return SettingsStatus();
  }
  const Status status =
      CheckMonkey(*settings_.sizing.monkey, db_options, cf_options);
  if (cf_options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    (status.ok() ? filled_from_last_level_ : filled_from_first_level_) = true;
  }
  return settings_.is_mix ? Status::OK() : status;
}

Status CassandraBloomPolicy::ConfigureOptions(
    const ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  const std::optional<PolicyString> text =
      std::exchange(pending_string_, std::nullopt);
  if (!options.empty()) {
    if (!text) {
      return CannotBeChanged();
    }
    settings_ = text->SettingsWith(options);
    filter_name_ = FilterNameFor(settings_.partition_key);
  }
  return SettingsStatus();
}

Status CassandraBloomPolicy::ParseStringOptions(
    const ConfigOptions& /*config_options*/, const std::string& /*options*/) {
  return CannotBeChanged();
}

Status CassandraBloomPolicy::CannotBeChanged() const {
  return Status::InvalidArgument(
      settings_.id + ": a filter policy cannot be changed; create another");
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
  if (sizing.has_bottommost || sizing.monkey) {
    levels += ", bottommost: " + BitsText(sizing.For(place));
  }
  if (settings_.filter == FilterType::kRibbon ||
      settings_.bottommost_filter == FilterType::kRibbon) {
    levels += " (Ribbon filters take about 0.7 of these bits)";
  }
  if (settings_.is_mix && !place.is_leveled) {
    levels += WhyUniform(context);
  } else if (sizing.monkey && place.is_leveled) {
    levels += AverageText(*sizing.monkey);
  }
  return levels;
}

const char* CassandraBloomPolicy::WhyUniform(
    const FilterBuildingContext& context) const {
  const bool is_leveled =
      context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  if (!is_leveled || (filled_from_first_level_ && !filled_from_last_level_)) {
    return "; the same everywhere, because levels get bits by their sizes only "
           "in leveled compaction with level_compaction_dynamic_level_bytes "
           "and a single path";
  }
  return filled_from_first_level_
             ? "; the same everywhere, because the policy was also used for a "
               "database or column family without "
               "level_compaction_dynamic_level_bytes or with several paths: "
               "make one policy for each"
             : "; the same everywhere until the database is opened with this "
               "policy, because RocksDB does not tell its options to a policy "
               "of CreateColumnFamily or SetOptions";
}

void CassandraBloomPolicy::ReportWrongSettingsOnce(Logger* info_log) const {
  if (!settings_.error.empty() && !reported_.exchange(true)) {
    ReportError(info_log, "%s; no filters are built", settings_.error.c_str());
  }
}

}  // namespace cassandra_bloom
