// SPDX-License-Identifier: Apache-2.0

// The Filter.db files of a database's live SST files.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/folder.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/sst_exporter.h"

namespace cassandra_bloom {

// Exports the SST files of one listing after another, each file once.
class DatabaseExporter {
 public:
  // With `sync`, files that are whole and no older than their SST file are
  // kept, unless options.overwrite, and others are overwritten. `*report` must
  // live as long.
  DatabaseExporter(const std::string& out_dir, bool sync,
                   const FilterDbExportOptions& options, FilterForm form,
                   FilterDbExportReport* report);

  // False if a listed file was there no more, which it may be once: listed
  // again, it is missing.
  bool Export(const LiveSsts& live);

  // Whether a Filter.db could not be written.
  bool write_failed() const { return write_failed_; }

 private:
  bool ExportOne(const LiveSsts& live, const LiveSst& file,
                 const ExportProgress& progress);
  bool FindExtractor(const LiveSsts& live, const LiveSst& file,
                     FilterDbExportOptions* options, std::string* error);

  const std::string out_dir_;
  const bool sync_;
  const bool overwrite_all_;
  FilterDbExportOptions options_;
  const FilterForm form_;
  FilterDbExportReport* const report_;
  bool write_failed_ = false;
  std::set<uint64_t> finished_;
  std::set<uint64_t> gone_;
};

std::set<uint64_t> NumbersOf(const LiveSsts& live);

// What decides which entries an export gives, other than the SST file: not what
// decides on the size of a filter.
FilterContents ContentsOf(const FilterDbExportOptions& options,
                          const LiveSsts& live);

using ListSsts = std::function<bool(LiveSsts* live, std::string* error)>;

// As ExportFilterDbs, for the files that `list` lists whenever it is called.
// `what` is their database, for messages.
bool ExportListedSsts(const std::string& what, const ListSsts& list,
                      const std::string& out_dir, bool sync,
                      const FilterDbExportOptions& options,
                      FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_
