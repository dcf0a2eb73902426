// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/in_place.h"

#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <utility>

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

using Policy = std::unique_ptr<const FilterPolicy>;

// RocksDB's Bloom policy registers no options (BloomFilterPolicy in
// table/block_based/filter_policy.cc, 7.1.2 to 11.8.1). So an OPTIONS file has
// only its id, and RocksDB compares only the ids of two policies.
class MixInPlace final : public FilterPolicy {
 public:
  MixInPlace(Policy rocksdbs, Policy mix)
      : rocksdbs_(std::move(rocksdbs)), mix_(std::move(mix)) {}

  const char* Name() const override { return rocksdbs_->Name(); }
  const char* CompatibilityName() const override {
    return rocksdbs_->CompatibilityName();
  }
  std::string GetId() const override { return rocksdbs_->GetId(); }

  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    return BuilderFor(context.table_options).GetBuilderWithContext(context);
  }

  // Also reads filters of the form blocks=rocksdb, which this database may
  // have from an earlier time.
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    return mix_->GetFilterBitsReader(contents);
  }

 private:
  const FilterPolicy& BuilderFor(
      const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) const {
    // RocksDB's policy then makes its old Bloom filters, because releases
    // before 6.6 use no others.
    const bool is_for_an_old_rocksdb = table.format_version < 5;
    // `mix` would build our own filters (CassandraBloomPolicy::NewBuilder).
    const bool has_partitions_of_prefixes =
        table.partition_filters && !table.whole_key_filtering;
    return is_for_an_old_rocksdb || has_partitions_of_prefixes ? *rocksdbs_
                                                               : *mix_;
  }

  const Policy rocksdbs_;
  const Policy mix_;
};

// Returns the bits per key that RocksDB's Bloom policy makes of this number.
// `mix` refuses others.
double RocksdbsBits(double bits_per_key) {
  return bits_per_key < 1.0      ? 1.0
         : bits_per_key <= 100.0 ? bits_per_key
                                 : 100.0;  // Also for NaN.
}

}  // namespace

const FilterPolicy* NewOursInPlaceOf(const FilterPolicy* rocksdbs,
                                     double bits_per_key) {
  Policy owned(rocksdbs);
  const FilterPolicy* const ours =
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb(bits_per_key);
  return ours == nullptr ? owned.release() : ours;
}

const FilterPolicy* NewMixInPlaceOf(const FilterPolicy* rocksdbs,
                                    double bits_per_key) {
  Policy owned(rocksdbs);
  if (rocksdbs == nullptr || bits_per_key < 0.5) {
    return owned.release();
  }
  Policy mix(ROCKSDB_NAMESPACE::NewCassandraBloomMixPolicy(
      RocksdbsBits(bits_per_key)));
  return mix == nullptr ? owned.release()
                        : new MixInPlace(std::move(owned), std::move(mix));
}

}  // namespace cassandra_bloom
