#include "plugin/rocksdb/policy.h"

#include <rocksdb/table.h>

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

const char* CassandraBloomPolicy::CompatibilityName() const {
  // RocksDB asks whenever it opens an SST file, also in a read-only open, which
  // does not validate options.
  ReportWrongSettingsOnce(nullptr);
  return filter_name_.c_str();
}

FilterBitsBuilder* CassandraBloomPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  ReportWrongSettingsOnce(context.info_log);
  if (!settings_.sizing) {
    return nullptr;
  }
  auto* const builder = new (std::nothrow) CassandraBloomBitsBuilder(
      *settings_.sizing, settings_.partition_key,
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
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& /*cf_options*/) const {
  return SettingsStatus();
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

void CassandraBloomPolicy::ReportWrongSettingsOnce(Logger* info_log) const {
  if (!settings_.error.empty() && !reported_.exchange(true)) {
    ReportError(info_log, "%s; no filters are built", settings_.error.c_str());
  }
}

}  // namespace cassandra_bloom
