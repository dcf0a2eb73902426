// SPDX-License-Identifier: Apache-2.0

#include "plugin/prefix_extractor/partition_transform.h"

#include <rocksdb/slice.h>

#include <memory>
#include <optional>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/running_rocksdb.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

constexpr char kRefusedTransformId[] = "cassandra_partition:a-refused-setting";

std::string NameAndColon() {
  return std::string(kPartitionTransformName) + ":";
}

// Returns nullopt, and sets `*error`, if the id cannot be used.
std::optional<PartitionKeyExtractor> ParseId(const std::string& id,
                                             std::string* error) {
  const std::string before = NameAndColon();
  if (id.compare(0, before.size(), before) != 0) {
    *error = "'" + id + "' is not a prefix extractor; use " + before +
             "PARTITION_KEY, such as " + before + "skip:8,u16";
    return std::nullopt;
  }
  const std::string spelling = id.substr(before.size());
  const auto extractor = PartitionKeyExtractor::Parse(spelling, error);
  if (!extractor) {
    error->insert(0, before + " ");
    return std::nullopt;
  }
  if (!extractor->has_end()) {
    *error = before + " partition key '" + spelling +
             "' goes on to the end of every key, so every key would be its own "
             "prefix; as a prefix extractor use [skip:S,]fixed:N, [skip:S,]u16 "
             "or [skip:S,]composite:C";
    return std::nullopt;
  }
  return extractor;
}

}  // namespace

PartitionTransform::PartitionTransform(const std::string& id,
                                       bool may_get_options)
    : id_(kRefusedTransformId), may_get_options_(may_get_options) {
  if (const auto extractor = ParseId(id, &error_)) {
    extractor_ = *extractor;
    id_ = IdFor(*extractor);
  }
}

std::string PartitionTransform::IdFor(PartitionKeyExtractor extractor) {
  return NameAndColon() + extractor.spelling();
}

Status PartitionTransform::SettingsStatus() const {
  return error_.empty() ? Status::OK() : Status::InvalidArgument(error_);
}

Slice PartitionTransform::Transform(const Slice& key) const {
  return {key.data(), extractor_.End(key.ToStringView()).value_or(key.size())};
}

bool PartitionTransform::InDomain(const Slice& key) const {
  return error_.empty() && extractor_.End(key.ToStringView()).has_value();
}

Status PartitionTransform::PrepareOptions(
    const ROCKSDB_NAMESPACE::ConfigOptions& /*config_options*/) {
  return SettingsStatus();
}

Status PartitionTransform::ValidateOptions(
    const ROCKSDB_NAMESPACE::DBOptions& /*db_options*/,
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& /*cf_options*/) const {
  return SettingsStatus();
}

Status PartitionTransform::ConfigureOptions(
    const ROCKSDB_NAMESPACE::ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  const bool is_in_use = !std::exchange(may_get_options_, false);
  if (!error_.empty() || options.empty()) {
    return SettingsStatus();
  }
  const std::string error =
      id_ + ": has no options, but was given '" + options.begin()->first + "=" +
      options.begin()->second + "'; write the extractor after the colon";
  if (!is_in_use) {
    error_ = error;
    id_ = kRefusedTransformId;
  }
  return Status::InvalidArgument(error);
}

}  // namespace cassandra_bloom

namespace ROCKSDB_NAMESPACE {

Status NewCassandraPartitionTransform(
    const std::string& partition_key,
    std::shared_ptr<const SliceTransform>* transform) {
  const std::string fault = cassandra_bloom::RunningRocksdbFault();
  if (!fault.empty()) {
    return Status::NotSupported(fault);
  }
  auto made = std::make_shared<cassandra_bloom::PartitionTransform>(
      std::string(cassandra_bloom::kPartitionTransformName) + ":" +
          partition_key,
      /*may_get_options=*/false);
  if (made->SettingsStatus().ok()) {
    *transform = made;
  }
  return made->SettingsStatus();
}

}  // namespace ROCKSDB_NAMESPACE
