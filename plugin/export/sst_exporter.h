// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_EXPORTER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_EXPORTER_H_

#include <rocksdb/slice.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/sst_file.h"
#include "plugin/filter/block_layout.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

using ExportProgress = std::function<void(uint64_t done, uint64_t all)>;
using ExtractorPtr = std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform>;

// The options of an export, checked and parsed once for all of its files.
struct ExportPlan {
  FilterDbExportOptions options;
  FilterForm form = kNaAndLater;
  // The part of a key to export. If not set, the part that the filter of each
  // SST file holds.
  std::optional<PartitionKeyExtractor> partition_key;
};

// Returns nullopt, with `*error`, if the options are invalid, or if this
// process runs another RocksDB release than this library was compiled for.
std::optional<ExportPlan> PlanExport(const FilterDbExportOptions& options,
                                     std::string* error);

class SstExporter {
 public:
  // `extractor` is used only if the options ask for prefixes. If it is null,
  // the extractor that the SST file names is used. The caller must have set
  // sst_file and filter_db of `*exported`. All arguments must outlive this
  // object.
  SstExporter(const ExportPlan& plan, const ExtractorPtr& extractor,
              bool overwrite, const ExportProgress& progress,
              ExportedFilterDb* exported)
      : plan_(plan),
        extractor_(extractor),
        overwrite_(overwrite),
        progress_(progress),
        exported_(exported) {}

  bool Export(std::string* error);

  // Must be called only after Export has succeeded.
  std::string SstIdentity() const { return sst_->identity(); }

  // True if Export failed because it could not write the Filter.db.
  bool write_failed() const { return write_failed_; }

 private:
  PartitionKeyExtractor PartitionKey() const;
  std::string WhyNotBlock() const;
  std::string WhyNotItsPolicy() const;
  std::string WhyNotItsKeys() const;
  std::string WhyNotItsPrefixes() const;
  std::string ParseBlock(const ROCKSDB_NAMESPACE::Slice& block,
                         ParsedFilter* filter) const;
  bool WriteBlock(const ParsedFilter& filter, std::string* error);
  bool ExportKeys(std::string* error);
  bool ForEachEntry(const ROCKSDB_NAMESPACE::SliceTransform* extractor,
                    uint64_t pass,
                    const std::function<void(std::string_view)>& visit,
                    std::string* error);
  bool Write(int num_probes, uint32_t num_words, const char* bits,
             std::string* error);

  const ExportPlan& plan_;
  const ExtractorPtr& extractor_;
  const bool overwrite_;
  const ExportProgress& progress_;
  ExportedFilterDb* const exported_;
  std::unique_ptr<SstFile> sst_;
  bool write_failed_ = false;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_EXPORTER_H_
