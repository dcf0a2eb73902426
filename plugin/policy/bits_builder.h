// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_BUILDER_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_BUILDER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "plugin/filter/hash_list.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/sizing.h"
#include "plugin/lsm/partition_key.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom {

// Builds the filters of one SST file. Only one thread at a time may use a
// builder. If memory cannot be allocated, the builder makes a filter that
// matches every key. The builder throws nothing.
class CassandraBloomBitsBuilder final
    : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
  // The filter gets the partition key of each key or prefix that RocksDB adds.
  // `context` is used only in the constructor.
  //
  // If the option detect_filter_construct_corruption in `context` is on, the
  // builder checks the hashes before it builds a filter. It also checks the
  // filter after it was built.
  CassandraBloomBitsBuilder(
      Sizing sizing, PartitionKeyExtractor partition_key, BlockForm form,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context)
      : sizing_(sizing),
        partition_key_(partition_key),
        form_(form),
        detect_corruption_(
            context.table_options.detect_filter_construct_corruption),
        info_log_(context.info_log) {}

  void AddKey(const ROCKSDB_NAMESPACE::Slice& key) override;
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const ROCKSDB_NAMESPACE::Slice& key,
                    const ROCKSDB_NAMESPACE::Slice& alt) override;
#endif
  size_t EstimateEntriesAdded() override;
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf) override;
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf,
                                  ROCKSDB_NAMESPACE::Status* status) override;
  ROCKSDB_NAMESPACE::Status MaybePostVerify(
      const ROCKSDB_NAMESPACE::Slice& filter_content) override;
  size_t ApproximateNumEntries(size_t bytes) override;
#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  size_t CalculateSpace(size_t num_entries) override;
  double EstimatedFpRate(size_t num_entries, size_t bytes) override;
#endif

  // Returns the size of the block for `num_keys` keys, in bytes.
  size_t BlockSize(uint64_t num_keys) const;

 private:
  // What RocksDB has added since the last call of Finish.
  struct Entries {
    HashList hashes;
    uint64_t lost = 0;  // Hashes dropped for lack of memory.
    Hash128 checksum{};
    // The hashes of the last key and of the last prefix. They are needed to
    // drop duplicates. RocksDB repeats a key only directly after that key, and
    // a prefix only directly after that prefix.
    std::optional<Hash128> last_key;
    std::optional<Hash128> last_alt;
  };

  // The filter that Finish returned, until MaybePostVerify checks it.
  struct Unverified {
    Entries entries;
    Hash128 content_hash;
  };

  uint32_t NumWords(uint64_t num_keys) const;
  Hash128 HashOfPartitionKey(const ROCKSDB_NAMESPACE::Slice& key) const;
  void Add(Hash128 hash);
  ROCKSDB_NAMESPACE::Slice MatchAll() const;

  const Sizing sizing_;
  const PartitionKeyExtractor partition_key_;
  const BlockForm form_;
  const bool detect_corruption_;
  ROCKSDB_NAMESPACE::Logger* const info_log_;
  Entries entries_;
  std::optional<Unverified> unverified_;
  bool reported_no_memory_ = false;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_BUILDER_H_
