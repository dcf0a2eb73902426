// SPDX-License-Identifier: Apache-2.0

// The FilterPolicy.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_config.h"
#include "plugin/policy/statistics.h"

namespace cassandra_bloom {

// RocksDB forgets why a filter policy string was refused: inside a table
// factory string, an OPTIONS file or SetOptions, BlockBasedTableFactory turns
// the failure into OK and, if no policy came back, into none at all. So a wrong
// setting gives a policy, too: one that carries the error to where RocksDB
// asks for it (ConfigureOptions, PrepareOptions, and ValidateOptions in
// DB::Open), builds no filter, reads filters of whole keys, and reports the
// error once where RocksDB does not ask.
class CassandraBloomPolicy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  static const char* kClassName() { return kPolicyName; }

  // For a string of an options string. RocksDB gives the options of
  // the string, if there are any, to ConfigureOptions afterwards.
  explicit CassandraBloomPolicy(const PolicyString& text)
      : CassandraBloomPolicy(text.Settings()) {
    configured_by_ = text;
  }

  explicit CassandraBloomPolicy(PolicySettings settings)
      : settings_(std::move(settings)),
        filter_name_(FilterNameFor(settings_.partition_key)) {}

  // RocksDB finds the filter of an SST file by CompatibilityName, and writes
  // Name into the properties of the file, where we read what the filter holds:
  // they are the same.
  const char* Name() const override { return filter_name_.c_str(); }
  const char* CompatibilityName() const override;
  std::string GetId() const override { return settings_.id; }

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override;
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override;

  ROCKSDB_NAMESPACE::Status PrepareOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options) override;
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_options,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options) const override;

  const void* GetOptionsPtr(const std::string& name) const override;

 protected:
  // The name in options strings is that of all of them (IsInstanceOf).
  const char* NickName() const override { return kClassName(); }

  // Takes the options itself, instead of registering them: RocksDB drops
  // unknown and unparsable registered options of nested strings in silence, and
  // merges the serialised ones of an earlier policy into a new string.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;
  ROCKSDB_NAMESPACE::Status ParseStringOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::string& options) override;

 private:
  ROCKSDB_NAMESPACE::Status SettingsStatus() const;
  ROCKSDB_NAMESPACE::Status CannotBeChanged() const;
  // What each level has, if that is not the same for all: once for each column
  // family after an open.
  void LogLevelsOnce(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  std::string LevelsText(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  void ReportWrongSettingsOnce(ROCKSDB_NAMESPACE::Logger* info_log) const;

  PolicySettings settings_;
  std::string filter_name_;
  // The string that options are still to be added to; none, once they were.
  std::optional<PolicyString> configured_by_;
  mutable std::atomic<bool> reported_{false};
  mutable std::mutex levels_mutex_;
  // Where, and for which column family.
  mutable std::set<std::pair<const ROCKSDB_NAMESPACE::Logger*, std::string>>
      levels_logged_;
  mutable StatisticsCounters statistics_{TotalStatistics()};
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_
