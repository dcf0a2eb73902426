// SPDX-License-Identifier: Apache-2.0

// What an export needs of an SST file: its filter block and its keys.
//
// Tested in tests/export/export_sst_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_

#include <rocksdb/comparator.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

class SstReader {
 public:
  using VisitKey = std::function<void(std::string_view key)>;

  static std::unique_ptr<SstReader> Open(const std::string& path,
                                         std::string* error);

  const ROCKSDB_NAMESPACE::TableProperties& properties() const {
    return *properties_;
  }

  // Returns nullopt if properties().filter_policy_name is not a policy of this
  // library.
  std::optional<PartitionKeyExtractor> partition_key() const;

  // Sets `*filter` to the filter block, without a trailer, if it is a full
  // filter of this library that holds exactly these partition keys. It is valid
  // until ForEachKey is called or this object is destroyed. Otherwise returns
  // why the block is no such filter, or no good Filter.db.
  std::string FindBlock(const PartitionKeyExtractor& partition_key,
                        ParsedFilter* filter);

  // Calls `visit` for each entry, also for deletions, in the file's order. So
  // equal keys follow each other. A file with deletions is an error before
  // RocksDB 9.2.
  bool ForEachKey(const VisitKey& visit, std::string* error);

 private:
  explicit SstReader(std::string path) : path_(std::move(path)) {}

  bool OpenWith(const ROCKSDB_NAMESPACE::Comparator* comparator,
                const std::string& filter_name, std::string* error);
  std::string WhyNotOurs(const PartitionKeyExtractor& partition_key) const;
  std::string WhyNotKeysAlone() const;
  bool CanReadKeys(std::string* error) const;

  const std::string path_;
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
  // The block of a full filter with the name `filter_name_`.
  std::optional<std::string_view> block_;
  std::string filter_name_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_
