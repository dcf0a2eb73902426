// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy.h"

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <new>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/bits_builder.h"
#include "plugin/policy/bits_reader.h"
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
  LogOnce(context.info_log);
  const bool is_universal =
      context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  const bool is_bottommost =
      context.is_bottommost ||
      (settings_.is_mix &&
       (context.level_at_creation < 0 ||
        context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleFIFO));
  const std::optional<Sizing> sizing =
      settings_.sizing.For(context.level_at_creation, is_bottommost);
  if (!sizing) {
    return nullptr;
  }
  FilterBitsBuilder* const builder =
      NewBuilder(*sizing,
                 is_bottommost  ? settings_.bottommost_filter
                 : is_universal ? settings_.universal_filter
                                : settings_.filter,
                 context);
  if (builder == nullptr) {
    ReportNoMemory(context.info_log, /*num_entries=*/0);
  }
  return builder;
}

FilterBitsBuilder* CassandraBloomPolicy::NewBuilder(
    const Sizing& sizing, FilterType type,
    const FilterBuildingContext& context) const {
  // In a partitioned filter of prefixes alone, RocksDB's builders return an
  // empty block for a partition in which no key has a prefix. RocksDB's
  // MultiGet then skips every key of that partition
  // (PartitionedFilterBlockReader::MayMatch in
  // table/block_based/partitioned_filter_block.cc, 7.8.3). So such filters are
  // always ours.
  const bool has_partitions_of_prefixes =
      context.table_options.partition_filters &&
      !context.table_options.whole_key_filtering;
  if (type != FilterType::kCassandra && !has_partitions_of_prefixes) {
    return rocksdbs_policies_.NewBuilder(type, sizing.millibits_per_key,
                                         context);
  }
  return new (std::nothrow) CassandraBloomBitsBuilder(
      sizing, settings_.partition_key, settings_.block_form, context);
}

FilterBitsReader* CassandraBloomPolicy::GetFilterBitsReader(
    const Slice& contents) const {
  return settings_.block_form == BlockForm::kBesideRocksdb
             ? ReaderBesideRocksdb(contents)
             : NewBitsReader(contents, settings_.partition_key);
}

FilterBitsReader* CassandraBloomPolicy::ReaderBesideRocksdb(
    const Slice& contents) const {
  const std::string_view block = contents.ToStringView();
  // RocksDB's reader says that no key matches this block. Our reader says that
  // every key matches, because otherwise MultiGet would not find the keys of
  // that partition.
  if (IsRocksdbsWithoutKeys(block)) {
    return NewMatchAllReader();
  }
  if (const auto filter_db = WithoutTrailer(block)) {
    return NewBitsReader(*filter_db, settings_.partition_key);
  }
  return block.size() > sizeof(kTrailer)
             ? rocksdbs_policies_.NewReader(contents)
             : NewBitsReader(contents, settings_.partition_key);
}

Status CassandraBloomPolicy::PrepareOptions(
    const ConfigOptions& /*config_options*/) {
  return SettingsStatus();
}

Status CassandraBloomPolicy::ValidateOptions(
    const DBOptions& /*db_options*/,
    const ColumnFamilyOptions& /*cf_options*/) const {
  logged_ = false;  // RocksDB opens a database, with a LOG of its own.
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
    rocksdbs_policies_ = RocksdbsPolicies(settings_);
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

void CassandraBloomPolicy::LogOnce(Logger* info_log) const {
  if (info_log != nullptr && !logged_.exchange(true)) {
    ROCKSDB_NAMESPACE::Info(info_log, "filter_policy=%s", settings_.id.c_str());
  }
}

void CassandraBloomPolicy::ReportWrongSettingsOnce(Logger* info_log) const {
  if (!settings_.error.empty() && !reported_.exchange(true)) {
    ReportError(info_log, "%s; no filters are built", settings_.error.c_str());
  }
}

// ---- The functions of the public header that make a policy ----

}  // namespace cassandra_bloom

namespace ROCKSDB_NAMESPACE {

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
  CassandraBloomOptions options;
  options.mix = bits_per_key;
  return NewCassandraBloomPolicyFromOptions(options);
}

const FilterPolicy* NewCassandraBloomPolicyForFpChance(double fp_chance) {
  CassandraBloomOptions options;
  options.fp_chance = fp_chance;
  return NewCassandraBloomPolicyFromOptions(options);
}

const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options) {
  return cassandra_bloom::RocksdbReleaseMatches()
             ? new cassandra_bloom::CassandraBloomPolicy(
                   cassandra_bloom::CheckOptions(options))
             : nullptr;
}

}  // namespace ROCKSDB_NAMESPACE
