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

// The kind of a filter. If its partitions are of several kinds, the filter has
// the kind that comes first here.
enum class FilterKind {
  kNone,
  kCassandra,      // This library's, built with blocks=cassandra.
  kBesideRocksdb,  // This library's, built with blocks=rocksdb.
  kRocksdbsRibbon,
  kRocksdbsBloom,
  kRocksdbsOther,  // RocksDB's legacy Bloom filter, or one that matches all.
  kUnknown         // A filter of another policy, damaged, or not read.
};

class SstFile {
 public:
  // Called with a filter block and its kind. The block is valid until
  // ForEachKey is called or the file is closed. Blocks of this library are
  // passed as a Filter.db, without a trailer, and blocks of RocksDB's own
  // filters unchanged.
  using VisitBlock = std::function<void(const ROCKSDB_NAMESPACE::Slice& block,
                                        FilterKind kind)>;

  // Opens the file. Calls `visit` for the block of a full filter, or for each
  // partition of a partitioned filter. Visits only filters of this library and
  // RocksDB's own. Without `visit`, does not read the filter. If the filter is
  // damaged, opens the file nevertheless, and filter_damage() returns the
  // error. In that case, the visited blocks are no longer valid.
  static std::unique_ptr<SstFile> Open(const std::string& path,
                                       const VisitBlock& visit,
                                       std::string* error);

  const std::string& path() const { return path_; }
  const ROCKSDB_NAMESPACE::TableProperties& properties() const {
    return *properties_;
  }

  // Returns a text that is the same for copies of an SST file, and differs for
  // different SST files, even of the same number.
  std::string identity() const;

  // Returns kNone or kUnknown if the file was opened without `visit`. The
  // blocks decide the kind, because another policy than
  // properties().filter_policy_name may have built them.
  FilterKind filter_kind() const { return filter_kind_; }

  // Returns true if the visited block is a full filter, not a partition.
  bool has_full_filter() const;

  // Returns RocksDB's error if the filter is damaged, otherwise "".
  const std::string& filter_damage() const { return filter_damage_; }

  FilterHolds filter_holds() const;

  // Returns nullopt if properties().filter_policy_name is not a policy of this
  // library.
  std::optional<PartitionKeyExtractor> partition_key() const;

  // Calls `visit` once for each key, in the file's order. With
  // `live_keys_only`, leaves out keys whose latest entry is a deletion. Without
  // it, a file with deletions is an error before RocksDB 9.2. Blocks that Open
  // has visited must not be used afterwards.
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
  // The number of the visited blocks, and their size in bytes with their
  // trailers.
  uint64_t num_blocks_ = 0;
  uint64_t block_bytes_ = 0;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_
