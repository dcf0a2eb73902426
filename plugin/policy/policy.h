// SPDX-License-Identifier: Apache-2.0

// The FilterPolicy of this library.
//
// Tested in tests/policy/beside_rocksdb_test.cc.
// Tested in tests/policy/new_policy_test.cc.
// Tested in tests/policy/live_policy_test.cc.

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

#include "plugin/filter/memory_fit.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_string.h"
#include "plugin/policy/rocksdbs_policies.h"
#include "plugin/policy/statistics.h"

namespace cassandra_bloom {

// RocksDB forgets why a filter policy string was refused: inside a table
// factory string, an OPTIONS file or SetOptions, BlockBasedTableFactory turns
// the failure into OK and, if it got no policy, uses none. So a wrong setting
// gives a policy, too. That policy returns the error where RocksDB asks for it
// (ConfigureOptions, PrepareOptions, and ValidateOptions in DB::Open) and
// reports it once where RocksDB does not ask. It builds no filter, and reads
// filters of whole keys with blocks=cassandra.
class CassandraBloomPolicy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  static const char* kClassName() { return kPolicyName; }

  // Makes the policy for a filter_policy string. If the string has options,
  // RocksDB passes them to ConfigureOptions afterwards.
  explicit CassandraBloomPolicy(const PolicyString& text)
      : CassandraBloomPolicy(text.Settings()) {
    pending_string_ = text;
  }

  explicit CassandraBloomPolicy(PolicySettings settings)
      : settings_(std::move(settings)),
        filter_name_(FilterNameFor(settings_.partition_key)) {}

  // RocksDB finds the filter of an SST file by CompatibilityName, and writes
  // Name into the properties of the file, where we read what the filter holds.
  // With blocks=rocksdb, CompatibilityName is that of RocksDB's own policies;
  // otherwise it is Name.
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
  // In options strings all policies of this class have this name
  // (IsInstanceOf).
  const char* NickName() const override { return kClassName(); }

  // Reads the options itself instead of registering them, because RocksDB
  // silently drops unknown and unparsable registered options of nested strings,
  // and merges the serialised options of an earlier policy into a new string.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;
  ROCKSDB_NAMESPACE::Status ParseStringOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::string& options) override;

 private:
  // The place of the file for which a filter is built.
  SstPlace PlaceOf(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  // What chooses the sizes of filters for this file; null if their sizes are
  // exact.
  MemoryFit* MemoryFitFor(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  FilterType TypeFor(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  // Returns nullptr, as which RocksDB builds no filter, if memory cannot be
  // allocated.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      FilterType type, const Sizing& sizing,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  ROCKSDB_NAMESPACE::FilterBitsReader* ReaderBesideRocksdb(
      const ROCKSDB_NAMESPACE::Slice& contents) const;
  ROCKSDB_NAMESPACE::Status SettingsStatus() const;
  ROCKSDB_NAMESPACE::Status CannotBeChanged() const;
  // Logs the bits per key of each level, unless all are the same: once for each
  // column family after an open.
  void LogLevelsOnce(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  std::string LevelsText(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  // Why `mix` gives all files of this database the same bits per key, for the
  // LOG.
  const char* WhyUniform(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  void ReportWrongSettingsOnce(ROCKSDB_NAMESPACE::Logger* info_log) const;

  PolicySettings settings_;
  std::string filter_name_;
  // Used only with blocks=rocksdb.
  mutable RocksdbsPolicies rocksdbs_policies_;
  mutable MemoryFit memory_fit_;
  // Whether any leveled column family that DB::Open was given with this policy
  // fills its levels from the last one up, and whether any does not. Neither is
  // forgotten, because RocksDB does not tell whose options it validates.
  mutable std::atomic<bool> filled_from_last_level_{false};
  mutable std::atomic<bool> filled_from_first_level_{false};
  // The string to which ConfigureOptions may still add options; nullopt after
  // its first call.
  std::optional<PolicyString> pending_string_;
  mutable std::atomic<bool> reported_{false};
  mutable std::mutex levels_mutex_;
  // The LOGs and column families to which LogLevelsOnce has written the bits
  // per key of each level.
  mutable std::set<std::pair<const ROCKSDB_NAMESPACE::Logger*, std::string>>
      levels_logged_;
  mutable StatisticsCounters statistics_{TotalStatistics()};
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_H_
