// SPDX-License-Identifier: Apache-2.0

// Tested in tests/policy/new_policy_test.cc.
// Tested in tests/policy/live_policy_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_settings.h"
#include "plugin/policy/rocksdbs_policies.h"

namespace cassandra_bloom {

// If a setting is wrong, the constructor still makes a policy. Without a
// policy, RocksDB's BlockBasedTableFactory would forget the error. The policy
// keeps the error and builds no filter.
//
// ConfigureOptions, PrepareOptions and ValidateOptions return the error.
// RocksDB does not always call them. So the policy also reports the error once,
// in the LOG or on stderr, when RocksDB opens or builds an SST file.
class CassandraBloomPolicy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  static const char* kClassName() { return kPolicyName; }

  // Makes the policy for a filter_policy string. RocksDB passes options that
  // stand beside the string to ConfigureOptions afterwards.
  explicit CassandraBloomPolicy(const std::string& text)
      : CassandraBloomPolicy(SettingsOf(text)) {
    pending_text_ = text;
  }

  // Makes a policy that takes no further options.
  explicit CassandraBloomPolicy(PolicySettings settings)
      : settings_(std::move(settings)),
        filter_name_(FilterNameFor(settings_.partition_key)),
        rocksdbs_policies_(settings_) {}

  // RocksDB writes Name into the properties of an SST file, and finds the
  // file's filter by CompatibilityName. With blocks=rocksdb, CompatibilityName
  // is the name of RocksDB's own filters. Otherwise it equals Name.
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

 protected:
  // RocksDB's IsInstanceOf recognises all policies of this class by this name,
  // whatever Name returns.
  const char* NickName() const override { return kClassName(); }

  // Reads the options itself instead of registering them with RocksDB, for two
  // reasons. RocksDB silently drops unknown or wrong registered options in
  // nested strings. It also mixes the options of an earlier policy into a new
  // string.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;
  ROCKSDB_NAMESPACE::Status ParseStringOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::string& options) override;

 private:
  // Returns nullptr if memory cannot be allocated. RocksDB then builds no
  // filter.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const Sizing& sizing, FilterType type,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  ROCKSDB_NAMESPACE::FilterBitsReader* ReaderBesideRocksdb(
      const ROCKSDB_NAMESPACE::Slice& contents) const;
  ROCKSDB_NAMESPACE::Status SettingsStatus() const;
  ROCKSDB_NAMESPACE::Status CannotBeChanged(const std::string& change) const;
  // Logs the id of this policy once after an open.
  void LogOnce(ROCKSDB_NAMESPACE::Logger* info_log) const;
  void ReportWrongSettingsOnce(ROCKSDB_NAMESPACE::Logger* info_log) const;

  PolicySettings settings_;
  std::string filter_name_;
  RocksdbsPolicies rocksdbs_policies_;
  // The string that this policy was made from, until the first call of
  // ConfigureOptions. That call may add options to those of the string, and
  // leaves nullopt: RocksDB calls ConfigureOptions for live policies, too, and
  // another partition key would then lose rows.
  std::optional<std::string> pending_text_;
  mutable std::atomic<bool> reported_{false};
  mutable std::atomic<bool> logged_{false};
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_
