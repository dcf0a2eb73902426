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

class SstFile {
 public:
  // Called with a filter block, which is valid until ForEachKey is called or
  // the file is closed.
  using VisitBlock = std::function<void(const ROCKSDB_NAMESPACE::Slice& block)>;

  // Calls `visit` for the blocks of this library's filter, if the file has one:
  // once for a full filter, once for each partition of a partitioned one.
  // Without `visit` the filter is not read. If the filter cannot be read, the
  // file is opened nevertheless (see filter_damage), and blocks that were
  // visited are no longer valid.
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

  // RocksDB's error if this library's filter is damaged, so that some of its
  // blocks were not visited; otherwise "".
  const std::string& filter_damage() const { return filter_damage_; }

  // What the filter holds, whichever policy built it.
  FilterHolds filter_holds() const;

  // The part of a key that the filter holds; nullopt if it is not a filter of
  // this library.
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
        properties_(reader_->GetTableProperties()) {}

  bool OpenAgain(const VisitBlock& visit, std::string* error);
  std::string WhyNoFilter() const;
  bool CanReadKeys(bool live_keys_only, std::string* error) const;

  const std::string path_;
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
  std::string filter_damage_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_FILE_H_
