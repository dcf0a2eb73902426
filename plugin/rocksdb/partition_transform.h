// The prefix extractor that keeps a partition together:
//
//   prefix_extractor=cassandra_partition:skip:8,u16
//
// A key's prefix is all of it up to the end of its partition key: what is
// skipped, too, because RocksDB wants a prefix to be the beginning of the key.
// So the prefix has the partition key that the whole key has.

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_PARTITION_TRANSFORM_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_PARTITION_TRANSFORM_H_

#include <rocksdb/slice_transform.h>

#include <memory>
#include <string>

#include "plugin/core/partition_key.h"

namespace cassandra_bloom {

// The name in options strings and, with the spelling of the extractor, in SST
// files. Frozen: under another name the prefixes of old files are not used.
constexpr char kPartitionTransformName[] = "cassandra_partition";

// What RocksDB asks of prefix_extractor holds for bytewise comparators in both
// directions: two keys of the same prefix begin with it, so do all keys between
// them, and what begins with a prefix has that prefix, because where it ends is
// told by its own bytes.
class PartitionTransform final : public ROCKSDB_NAMESPACE::SliceTransform {
 public:
  // nullptr, with what is wrong and what would be right, for anything but the
  // name, a colon and an extractor that has an end.
  static std::unique_ptr<const PartitionTransform> New(const std::string& id,
                                                       std::string* error);

  static const char* kClassName() { return kPartitionTransformName; }
  const char* Name() const override { return kClassName(); }
  std::string GetId() const override { return IdFor(extractor_); }

  // Of the transform that goes with this extractor.
  static std::string IdFor(PartitionKeyExtractor extractor);

  ROCKSDB_NAMESPACE::Slice Transform(
      const ROCKSDB_NAMESPACE::Slice& key) const override;
  bool InDomain(const ROCKSDB_NAMESPACE::Slice& key) const override;
  bool InRange(const ROCKSDB_NAMESPACE::Slice& prefix) const override;
  bool SameResultWhenAppended(
      const ROCKSDB_NAMESPACE::Slice& prefix) const override;

 private:
  explicit PartitionTransform(PartitionKeyExtractor extractor)
      : extractor_(extractor) {}

  const PartitionKeyExtractor extractor_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_PARTITION_TRANSFORM_H_
