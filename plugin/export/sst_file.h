// SPDX-License-Identifier: Apache-2.0

// An SST file, read with RocksDB's SstFileReader.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_

#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

enum class FilterHolds { kKeys, kPrefixes, kBoth, kUnknown };

// If the partitions of a filter are of several kinds, the filter is of the
// first of them in this order: RocksDB's Ribbon policy also builds Bloom
// filters, and filters that every key matches.
enum class FilterKind {
  kNone,
  kCassandra,      // Ours, under a name of its own: each block is a Filter.db.
  kBesideRocksdb,  // Ours, under the name of RocksDB's own filters.
  kRocksdbsRibbon,
  kRocksdbsBloom,
  kRocksdbsOther,  // RocksDB's legacy Bloom filter, or one that matches all.
  kUnknown         // Of another policy, or damaged, or not read.
};

class SstFile {
 public:
  // Called with a filter block, which is valid until ForEachKey is called or
  // the file is closed, and with the kind of the block. Blocks of kCassandra
  // and kBesideRocksdb are passed without a trailer, as a Filter.db. Blocks of
  // RocksDB's own filters are passed as they are, so that RocksDB's policies
  // can read them.
  using VisitBlock = std::function<void(const ROCKSDB_NAMESPACE::Slice& block,
                                        FilterKind kind)>;

  // Calls `visit` for the blocks of the filter, if it is one of this library or
  // of RocksDB's own: once for a full filter, once for each partition of a
  // partitioned one. Without `visit` the filter is not read. If the filter
  // cannot be read, the file is opened nevertheless (see filter_damage), and
  // blocks that were visited are no longer valid.
  static std::unique_ptr<SstFile> Open(const std::string& path,
                                       const VisitBlock& visit,
                                       std::string* error);

  const std::string& path() const { return path_; }
  const ROCKSDB_NAMESPACE::TableProperties& properties() const {
    return *properties_;
  }

  // A text that differs for different SST files and is the same for copies of a
  // file. Two files of the same number differ, for example, if two copies of a
  // database each wrote one after they were separated.
  std::string identity() const;

  // The kind of the filter; kNone or kUnknown if the file was opened without
  // `visit`. Found by the blocks, not by properties().filter_policy_name: that
  // is the policy that was set, whoever built the filter.
  FilterKind filter_kind() const { return filter_kind_; }

  // True if the blocks that were visited are one full filter, not partitions.
  bool has_full_filter() const;

  // RocksDB's error if a filter of this library or of RocksDB's own is damaged,
  // so that some of its blocks were not visited; otherwise "".
  const std::string& filter_damage() const { return filter_damage_; }

  // What the filter holds, whichever policy built it.
  FilterHolds filter_holds() const;

  // The part of a key that filters of the recorded policy hold; nullopt if that
  // policy is not of this library. The filter itself may be of another kind.
  std::optional<PartitionKeyExtractor> partition_key() const;

  // Calls `visit` once for each key, in the file's order. Since RocksDB 9.2
  // this includes the keys of deletions; before 9.2, a file with deletions is
  // an error unless `live_keys_only`. With `live_keys_only`, keys whose latest
  // entry is a deletion are left out in every release. Afterwards do not use
  // the blocks that Open has handed over: the file may have been opened again.
  bool ForEachKey(bool live_keys_only,
                  const std::function<void(std::string_view key)>& visit,
                  std::string* error);

 private:
  SstFile(std::string path,
          std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader)
      : path_(std::move(path)),
        reader_(std::move(reader)),
        properties_(reader_->GetTableProperties()),
        filter_kind_(properties_->filter_size == 0 ? FilterKind::kNone
                                                   : FilterKind::kUnknown) {}

  bool OpenAgain(const VisitBlock& visit, std::string* error);
  bool OpenWithFilter(const VisitBlock& visit, std::string* error);
  void AddBlock(const std::string& filter_name,
                const ROCKSDB_NAMESPACE::Slice& block, const VisitBlock& visit);
  void SetDamage(const std::string& damage);
  std::string WhyNoFilter() const;
  bool CanReadKeys(bool live_keys_only, std::string* error) const;

  const std::string path_;
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
  FilterKind filter_kind_;
  std::string filter_damage_;
  // Of the blocks that were visited, with their trailers.
  uint64_t num_blocks_ = 0;
  uint64_t block_bytes_ = 0;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_
