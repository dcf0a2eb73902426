// SPDX-License-Identifier: Apache-2.0

// An SST file, read with RocksDB's SstFileReader.
//
// Tested in tests/sst_filters/examine_sst_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_SST_FILE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_SST_FILE_H_

#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
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

  // Returns false to stop.
  using VisitKey = std::function<bool(std::string_view key)>;

  // Opens the file. Calls `visit` for the block of a full filter, or for each
  // partition of a partitioned filter. Visits only filters of this library and
  // RocksDB's own. Without `visit`, does not read the filter. If a partition of
  // the filter is damaged, opens the file nevertheless, and filter_kind()
  // returns kUnknown. In that case, the visited blocks are no longer valid.
  static std::unique_ptr<SstFile> Open(const std::string& path,
                                       const VisitBlock& visit,
                                       std::string* error);

  const std::string& path() const { return path_; }
  const ROCKSDB_NAMESPACE::TableProperties& properties() const {
    return *properties_;
  }

  // Returns kNone or kUnknown if the file was opened without `visit`. The
  // blocks decide the kind, because another policy than
  // properties().filter_policy_name may have built them.
  FilterKind filter_kind() const { return filter_kind_; }

  // Returns true if the visited block is a full filter, not a partition.
  bool has_full_filter() const;

  // Returns RocksDB's error if the filter is damaged, otherwise "". Reads the
  // whole file if a filter of a known policy was not visited, because RocksDB
  // reports no error when it opens a file with a damaged full filter.
  std::string FindFilterDamage() const;

  FilterHolds filter_holds() const;

  // Returns nullopt if properties().filter_policy_name is not a policy of this
  // library.
  std::optional<PartitionKeyExtractor> partition_key() const;

  // Calls `visit` for each entry, also for deletions, in the file's order. So
  // equal keys follow each other. A file with deletions is an error before
  // RocksDB 9.2. Returns false, and leaves `*error` as it was, if `visit`
  // returned false.
  bool ForEachKey(const VisitKey& visit, std::string* error);

 private:
  explicit SstFile(std::string path) : path_(std::move(path)) {}

  ROCKSDB_NAMESPACE::Status OpenReader(
      const ROCKSDB_NAMESPACE::Comparator* comparator,
      const std::string& filter_name, const VisitBlock& visit);
  bool OpenWithFilter(const VisitBlock& visit, std::string* error);
  bool OpenWithoutFilter(const ROCKSDB_NAMESPACE::Comparator* comparator,
                         std::string* error);
  void AddBlock(const std::string& filter_name,
                const ROCKSDB_NAMESPACE::Slice& block, const VisitBlock& visit);
  bool CanReadKeys(std::string* error) const;

  const std::string path_;
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
  FilterKind filter_kind_ = FilterKind::kUnknown;
  bool was_visited_ = false;
  std::string damage_of_partition_;
  // The number of the visited blocks, and their size in bytes with their
  // trailers.
  uint64_t num_blocks_ = 0;
  uint64_t block_bytes_ = 0;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_SST_FILE_H_
