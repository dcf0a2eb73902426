// SPDX-License-Identifier: Apache-2.0

// The prefix extractor that keeps a partition together:
//
//   prefix_extractor=cassandra_partition:skip:8,u16
//
// A key's prefix goes up to the end of its partition key. It includes what the
// extractor skips, because RocksDB wants a prefix to be the beginning of the
// key. So the prefix has the same partition key as the whole key.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_PARTITION_TRANSFORM_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_PARTITION_TRANSFORM_H_

#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <string>
#include <unordered_map>

#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

// The name in options strings and, followed by the spelling of the extractor,
// in SST files. Frozen: RocksDB does not use the prefixes of a file that were
// made under another name.
constexpr char kPartitionTransformName[] = "cassandra_partition";

// Meets RocksDB's requirements for a prefix_extractor if the comparator is
// bytewise or reverse bytewise. Two keys of the same prefix begin with it, and
// so do all keys between them. Every key that begins with a prefix has that
// prefix, because the prefix's own bytes tell where it ends.
//
// A wrong setting also makes a transform, but one for which no key has a
// prefix. RocksDB refuses this transform when it reads options strings; with
// ignore_unknown_options, it refuses it only when it validates options
// (DB::Open).
class PartitionTransform final : public ROCKSDB_NAMESPACE::SliceTransform {
 public:
  // `id`: the name, a colon and an extractor that has an end.
  explicit PartitionTransform(const std::string& id);

  // The id of the transform for this extractor.
  static std::string IdFor(PartitionKeyExtractor extractor);

  // OK, or InvalidArgument with a message that says what to write instead.
  ROCKSDB_NAMESPACE::Status SettingsStatus() const;

  static const char* kClassName() { return kPartitionTransformName; }
  const char* Name() const override { return kClassName(); }
  std::string GetId() const override { return id_; }

  ROCKSDB_NAMESPACE::Slice Transform(
      const ROCKSDB_NAMESPACE::Slice& key) const override;
  bool InDomain(const ROCKSDB_NAMESPACE::Slice& key) const override;
  bool SameResultWhenAppended(
      const ROCKSDB_NAMESPACE::Slice& prefix) const override;

  ROCKSDB_NAMESPACE::Status PrepareOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options) override;
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_options,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options) const override;

 protected:
  // Refuses all options, because RocksDB would silently drop unknown options of
  // nested strings.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;

 private:
  PartitionKeyExtractor extractor_;
  std::string id_;
  std::string error_;  // Not empty if the id was wrong.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_PARTITION_TRANSFORM_H_
