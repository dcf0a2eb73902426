// SPDX-License-Identifier: Apache-2.0

// An SST file, by RocksDB's own reader of single files.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_

#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

enum class FilterHolds { kKeys, kPrefixes, kBoth, kUnknown };

class SstFile {
 public:
  // A block stays where it is as long as the file is open.
  using VisitBlock = std::function<void(const ROCKSDB_NAMESPACE::Slice& block)>;

  // Calls `visit` for the blocks of our filter, if the file has one: once for a
  // full filter, for each partition of a partitioned one. Without `visit` the
  // filter is not read. If there is one that cannot be read, the file is open
  // nevertheless; then blocks that were visited are no more.
  static std::unique_ptr<SstFile> Open(const std::string& path,
                                       const VisitBlock& visit,
                                       std::string* error);

  const std::string& path() const { return path_; }
  const ROCKSDB_NAMESPACE::TableProperties& properties() const {
    return *properties_;
  }

  // What RocksDB says of our filter if it is damaged, so that not all of it
  // was visited; otherwise "".
  const std::string& filter_damage() const { return filter_damage_; }

  // Of any filter, if there is one.
  FilterHolds filter_holds() const;

  // What its filter holds of a key, if that is ours.
  std::optional<PartitionKeyExtractor> partition_key() const;

  // Calls visit for the keys of all entries, without the repetitions of a key
  // that has several: in the file's order. Deletions are among them since
  // RocksDB 9.2; before, a file with some is an error unless `live_keys_only`.
  // Then, in every release, keys whose last entry is a deletion are left out.
  // Blocks that were visited may be no more.
  bool ForEachKey(bool live_keys_only,
                  const std::function<void(std::string_view key)>& visit,
                  std::string* error);

 private:
  SstFile(std::string path, const ROCKSDB_NAMESPACE::Comparator* comparator,
          std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader)
      : path_(std::move(path)),
        comparator_(comparator),
        reader_(std::move(reader)),
        properties_(reader_->GetTableProperties()) {}

  static std::unique_ptr<SstFile> OpenWith(
      const std::string& path, const ROCKSDB_NAMESPACE::Comparator* comparator,
      const std::string& filter_name, const VisitBlock& visit,
      std::string* error);

  std::string WhyNoFilter() const;
  bool CanReadKeys(bool live_keys_only, std::string* error) const;
  bool OpenInOrderOfKeys(std::string* error);

  const std::string path_;
  const ROCKSDB_NAMESPACE::Comparator* comparator_;  // Of the reader.
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
  std::string filter_damage_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_
