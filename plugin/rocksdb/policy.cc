#include "plugin/rocksdb/policy.h"

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <new>
#include <utility>

#include "plugin/rocksdb/bits_builder.h"
#include "plugin/rocksdb/bits_reader.h"
#include "plugin/rocksdb/report.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

SstPlace PlaceOf(const FilterBuildingContext& context) {
  SstPlace place;
  place.level = context.level_at_creation;
  place.num_levels = context.num_levels;
  place.is_bottommost = context.is_bottommost;
  place.is_leveled =
      context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  return place;
}

std::string BitsText(const std::optional<Sizing>& sizing) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f",
                sizing ? sizing->bits_per_key() : 0);
  return text;
}

// An error of the options of a database, if "monkey" cannot count its levels.
Status CheckMonkey(const MonkeyAllocation& monkey,
                   const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options) {
  if (cf_options.compaction_style != ROCKSDB_NAMESPACE::kCompactionStyleLevel) {
    return Status::OK();
  }
  if (!monkey.bottom_level) {
    return cf_options.level_compaction_dynamic_level_bytes
               ? Status::OK()
               : Status::InvalidArgument(
                     "cassandra_bloom: allocation=monkey counts levels from "
                     "the last one up, as "
                     "level_compaction_dynamic_level_bytes=true fills them: "
                     "set that, or bottom_level= to the last level that will "
                     "hold data");
  }
  if (cf_options.level_compaction_dynamic_level_bytes) {
    return Status::InvalidArgument(
        "cassandra_bloom: bottom_level= is for "
        "level_compaction_dynamic_level_bytes=false: leave it out, the last "
        "level holds data here");
  }
  if (*monkey.bottom_level >= cf_options.num_levels) {
    return Status::InvalidArgument(
        "cassandra_bloom: bottom_level=" +
        std::to_string(*monkey.bottom_level) +
        " is not below num_levels=" + std::to_string(cf_options.num_levels));
  }
  return Status::OK();
}

}  // namespace

const char* CassandraBloomPolicy::CompatibilityName() const {
  // RocksDB asks whenever it opens an SST file, also in a read-only open, which
  // does not validate options.
  ReportWrongSettingsOnce(nullptr);
  return filter_name_.c_str();
}

FilterBitsBuilder* CassandraBloomPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  ReportWrongSettingsOnce(context.info_log);
  LogLevelsOnce(context);
  const std::optional<Sizing> sizing = settings_.sizing.For(PlaceOf(context));
  if (!sizing) {
    return nullptr;
  }
  auto* const builder = new (std::nothrow) CassandraBloomBitsBuilder(
      *sizing, settings_.partition_key,
      context.table_options.detect_filter_construct_corruption,
      context.info_log);
  if (builder == nullptr) {
    ReportNoMemory(context.info_log, /*num_entries=*/0);
  }
  return builder;
}

FilterBitsReader* CassandraBloomPolicy::GetFilterBitsReader(
    const Slice& contents) const {
  return NewBitsReader(contents, settings_.partition_key);
}

Status CassandraBloomPolicy::PrepareOptions(
    const ConfigOptions& /*config_options*/) {
  return SettingsStatus();
}

Status CassandraBloomPolicy::ValidateOptions(
    const ROCKSDB_NAMESPACE::DBOptions& /*db_options*/,
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options) const {
  levels_logged_ = false;  // Each database that is opened has its LOG.
  const Status status = SettingsStatus();
  return status.ok() && settings_.sizing.monkey
             ? CheckMonkey(*settings_.sizing.monkey, cf_options)
             : status;
}

Status CassandraBloomPolicy::ConfigureOptions(
    const ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  const std::optional<std::string> id =
      std::exchange(configured_id_, std::nullopt);
  if (!options.empty()) {
    if (!id) {
      return CannotBeChanged();
    }
    settings_ = ParseSettings(*id, options);
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
    const FilterBuildingContext& context) const {
  if (settings_.sizing.IsUniform() || levels_logged_.exchange(true)) {
    return;
  }
  SstPlace place = PlaceOf(context);
  place.is_bottommost = false;
  std::string levels;
  for (place.level = 0; place.level < place.num_levels; ++place.level) {
    levels += "level " + std::to_string(place.level) + ": " +
              BitsText(settings_.sizing.For(place)) + ", ";
  }
  place.is_bottommost = true;
  ROCKSDB_NAMESPACE::Info(
      context.info_log, "[%s] %s: bits per key in files of %sbottommost: %s",
      context.column_family_name.c_str(), settings_.id.c_str(), levels.c_str(),
      BitsText(settings_.sizing.For(place)).c_str());
}

void CassandraBloomPolicy::ReportWrongSettingsOnce(Logger* info_log) const {
  if (!settings_.error.empty() && !reported_.exchange(true)) {
    ReportError(info_log, "%s; no filters are built", settings_.error.c_str());
  }
}

}  // namespace cassandra_bloom
