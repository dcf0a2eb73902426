// SPDX-License-Identifier: Apache-2.0

// The Filter.db of one SST file.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_EXPORTER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_EXPORTER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/sst_file.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

using ExportProgress = std::function<void(uint64_t done, uint64_t all)>;

// What can be said of the options before any file is read.
bool AreGoodExportOptions(const FilterDbExportOptions& options,
                          FilterForm* form, std::string* error);

// Exports an SST file, in one of its two ways. The arguments must live as long.
class SstExporter {
 public:
  // `exported` comes with its sst_file and its filter_db.
  SstExporter(const FilterDbExportOptions& options, FilterForm form,
              const ExportProgress& progress, ExportedFilterDb* exported)
      : options_(options),
        form_(form),
        progress_(progress),
        exported_(exported) {}

  bool Export(std::string* error);

  // Whether it was the Filter.db that failed, not the SST file.
  bool write_failed() const { return write_failed_; }

 private:
  PartitionKeyExtractor PartitionKeyOf(const SstFile& sst) const;
  std::string WhyNotBlock(const SstFile& sst) const;
  std::string WhyNotItsPrefixes(const SstFile& sst) const;
  bool TryBlock(std::string* error);
  bool ExportKeys(std::string* error);
  bool ForEachEntry(SstFile* sst,
                    const ROCKSDB_NAMESPACE::SliceTransform* prefix_extractor,
                    uint64_t pass,
                    const std::function<void(std::string_view)>& visit,
                    std::string* error);
  bool Write(int num_probes, uint32_t num_words, const char* bits,
             std::string* error);

  const FilterDbExportOptions& options_;
  const FilterForm form_;
  const ExportProgress& progress_;
  ExportedFilterDb* const exported_;
  bool write_failed_ = false;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_SST_EXPORTER_H_
