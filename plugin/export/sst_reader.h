// SPDX-License-Identifier: Apache-2.0

// Tested in tests/export/sst_exporter_test.cc.
// Tested in tests/export/filter_kind_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_

#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>

#include <functional>
#include <memory>
#include <string>

namespace cassandra_bloom {

// The name of a filter in SST files, and the function to call with its blocks.
struct FilterVisit {
  std::string filter_name;
  std::function<void(const ROCKSDB_NAMESPACE::Slice& block)> visit;
};

// Opens the file. With `filter`, calls filter->visit for each block of the
// file's filter if that filter has the name filter->filter_name. The blocks are
// valid until the reader is destroyed. On an error, leaves `*reader` as it was.
ROCKSDB_NAMESPACE::Status OpenSstReader(
    const std::string& path, const ROCKSDB_NAMESPACE::Comparator* comparator,
    const FilterVisit* filter,
    std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader>* reader);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_READER_H_
