// SPDX-License-Identifier: Apache-2.0

// Finds the filter block of an SST file.
//
// Tested in tests/export/export_sst_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_

#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

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
  // until this object is destroyed. Otherwise returns why the block is no such
  // filter, or no good Filter.db.
  std::string FindBlock(const PartitionKeyExtractor& partition_key,
                        ParsedFilter* filter);

 private:
  explicit SstReader(std::string path) : path_(std::move(path)) {}

  bool OpenWith(const std::string& filter_name, std::string* error);
  std::string WhyNotOurs(const PartitionKeyExtractor& partition_key) const;
  std::string WhyNotKeysAlone() const;

  const std::string path_;
  std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
  // The block of a full filter with the name `filter_name_`.
  std::optional<std::string_view> block_;
  std::string filter_name_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_
