// SPDX-License-Identifier: Apache-2.0

// Exports the Filter.db files of a database's live SST files.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/folder/folder.h"
#include "plugin/export/folder/folder_mark.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/sst_exporter.h"

namespace cassandra_bloom {

// Exports the SST files of several listings, each file once.
class DatabaseExporter {
 public:
  // With `sync`, a Filter.db for which IsUpToDate is true is kept, unless
  // plan.options.overwrite is set. Any other regular file is replaced. A path
  // that is not a regular file is an error. The arguments must outlive this
  // object.
  DatabaseExporter(const ExportPlan& plan, const ExportFolder& folder,
                   bool sync, FilterDbExportReport* report)
      : plan_(plan), folder_(folder), sync_(sync), report_(report) {}

  // Returns false if a listed file no longer exists. The caller must then call
  // Export again with a new listing. A missing file that is in the new listing,
  // too, is an error.
  bool Export(const LiveSsts& live);

  // True if a Filter.db could not be written.
  bool write_failed() const { return write_failed_; }

 private:
  bool ExportOne(const LiveSsts& live, const LiveSst& file,
                 const ExportProgress& progress);
  bool MayKeep(const LiveSst& file) const;
  bool Write(const LiveSsts& live, const LiveSst& file,
             const ExportProgress& progress, ExportedFilterDb* exported,
             std::string* error);

  const ExportPlan& plan_;
  const ExportFolder& folder_;
  const bool sync_;
  FilterDbExportReport* const report_;
  bool write_failed_ = false;
  std::set<uint64_t> finished_;
  std::set<uint64_t> gone_;
};

// True if `filter_db` is a complete filter, unchanged since the mark recorded
// it as made from this SST file. Opens the SST file to get its identity. Does
// not compare times: hard links, such as those of a checkpoint, change the
// ctime of an SST file.
bool IsUpToDate(const FolderMark& mark, const std::string& filter_db,
                FilterForm form, const std::string& sst_file);

// The settings that decide which entries the filter of an SST file holds.
// Settings that only decide the size of the filter are not included.
FilterContents ContentsOf(const ExportPlan& plan, const LiveSsts& live);

using ListSsts = std::function<bool(LiveSsts* live, std::string* error)>;

// Like ExportFilterDbs, for the files that `list` returns; `list` is called
// several times. `what` names the database of these files in messages.
bool ExportListedSsts(const std::string& what, const ListSsts& list,
                      const std::string& out_dir, bool sync,
                      const FilterDbExportOptions& options,
                      FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_
