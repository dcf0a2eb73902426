// SPDX-License-Identifier: Apache-2.0

// A prefix extractor that gives all keys of a Cassandra partition the same
// prefix:
//
//   prefix_extractor=cassandra_partition:skip:8,u16
//
// The prefix is everything up to the end of the partition key, because RocksDB
// requires that a key begins with its prefix.

#ifndef CASSANDRA_BLOOM_PLUGIN_PREFIX_EXTRACTOR_PARTITION_TRANSFORM_H_
#define CASSANDRA_BLOOM_PLUGIN_PREFIX_EXTRACTOR_PARTITION_TRANSFORM_H_

#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <string>
#include <unordered_map>

#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

// The name in options strings and in SST files. It must never change, because
// RocksDB does not use prefixes that were made under another name.
constexpr char kPartitionTransformName[] = "cassandra_partition";

// Works only with the bytewise and the reverse bytewise comparator. The bytes
// of a prefix tell where the prefix ends. So every key that begins with a
// prefix has that prefix.
//
// If a setting is wrong, the constructor still makes an object. No key has a
// prefix in this object. RocksDB refuses this object when RocksDB reads the
// options, or in DB::Open.
class PartitionTransform final : public ROCKSDB_NAMESPACE::SliceTransform {
 public:
  // `id` is a string such as "cassandra_partition:skip:8,u16".
  // `may_get_options`: RocksDB makes the object from a string, and tells it in
  // the first call of ConfigureOptions which options stand beside the id.
  PartitionTransform(const std::string& id, bool may_get_options);

  static std::string IdFor(PartitionKeyExtractor extractor);

  ROCKSDB_NAMESPACE::Status SettingsStatus() const;

  static const char* kClassName() { return kPartitionTransformName; }
  const char* Name() const override { return kClassName(); }
  std::string GetId() const override { return id_; }

  ROCKSDB_NAMESPACE::Slice Transform(
      const ROCKSDB_NAMESPACE::Slice& key) const override;
  bool InDomain(const ROCKSDB_NAMESPACE::Slice& key) const override;

  ROCKSDB_NAMESPACE::Status PrepareOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options) override;
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_options,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_options) const override;

 protected:
  // Refuses all options, because RocksDB would silently drop options in nested
  // strings. RocksDB also calls this function for an object in use. Such an
  // object stays as it is.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;

 private:
  PartitionKeyExtractor extractor_;
  std::string id_;
  std::string error_;  // Not empty if a setting was wrong.
  bool may_get_options_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_PREFIX_EXTRACTOR_PARTITION_TRANSFORM_H_
