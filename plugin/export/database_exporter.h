// SPDX-License-Identifier: Apache-2.0

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

// Exports the filters of the SST files in several listings, each file once.
class DatabaseExporter {
 public:
  // With `sync`, keeps a Filter.db for which IsUpToDate returns true, and
  // replaces any other. With plan.options.overwrite, replaces all of them. The
  // arguments must outlive this object.
  DatabaseExporter(const ExportPlan& plan, const ExportFolder& folder,
                   bool sync, FilterDbExportReport* report)
      : plan_(plan), folder_(folder), sync_(sync), report_(report) {}

  // Returns false if a listed file no longer exists. The caller must then call
  // Export again with a new listing. If the new listing contains the file and
  // it still does not exist, Export reports an error.
  bool Export(const LiveSsts& live);

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

// Returns true if `mark` records that `filter_db` was made from this SST file,
// and the filter is complete and unchanged. Does not compare the time of the
// SST file, because a hard link, such as that of a checkpoint, changes its
// ctime.
bool IsUpToDate(const FolderMark& mark, const std::string& filter_db,
                FilterForm form, const std::string& sst_file);

// Returns the settings that decide which entries an exported filter holds.
FilterContents ContentsOf(const ExportPlan& plan, const LiveSsts& live);

using ListSsts = std::function<bool(LiveSsts* live, std::string* error)>;

// Like ExportFilterDbs, for the SST files that `list` returns. `list` is called
// several times. `what` names the database in error messages.
bool ExportListedSsts(const std::string& what, const ListSsts& list,
                      const std::string& out_dir, bool sync,
                      const FilterDbExportOptions& options,
                      FilterDbExportReport* report, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_DATABASE_EXPORTER_H_
