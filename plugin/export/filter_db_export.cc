// SPDX-License-Identifier: Apache-2.0

// The functions of include/cassandra_bloom/filter_db_export.h.
// Tested in tests/export/sst_exporter_test.cc.
// Tested in tests/export/database_exporter_test.cc.

#include "cassandra_bloom/filter_db_export.h"

#include "plugin/export/database_exporter.h"
#include "plugin/export/folder/folder_lock.h"
#include "plugin/export/folder/folder_mark.h"
#include "plugin/export/folder/folder_names.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/sst_exporter.h"
#include "plugin/io/file_io.h"
#include "plugin/io/temporary_file.h"

namespace cassandra_bloom {

bool ExportedFilterDbName(const std::string& sst_file,
                          const std::string& sstable_version, std::string* name,
                          std::string* error) {
  if (!IsNameableVersion(sstable_version, error)) {
    return false;
  }
  const std::optional<uint64_t> number = NumberOfSst(sst_file);
  if (!number) {
    *error = sst_file +
             ": is not named after a file number, such as 000123.sst, "
             "so there is no name for its Filter.db";
    return false;
  }
  *name = FilterDbName(sstable_version, *number);
  return true;
}

bool ExportFilterDb(const std::string& sst_file, const std::string& filter_db,
                    const FilterDbExportOptions& options,
                    ExportedFilterDb* exported, std::string* error) {
  const auto plan = PlanExport(options, error);
  if (!plan) {
    return false;
  }
  *exported = {};
  exported->sst_file = sst_file;
  exported->filter_db = filter_db;
  const std::string folder = FolderOf(filter_db);
  const ExportFolderLock lock(folder, ExportFolderLock::WaitForever);
  if (IsNamedAsExported(filter_db) && !FollowsNoDatabase(folder, error)) {
    return false;
  }
  RemoveLeftOversOf(filter_db);
  return SstExporter(*plan, options.prefix_extractor, options.overwrite,
                     options.progress, exported)
      .Export(error);
}

bool ExportFilterDbs(const std::string& db_dir,
                     const std::string& column_family,
                     const std::string& out_dir, bool sync,
                     const FilterDbExportOptions& options,
                     FilterDbExportReport* report, std::string* error) {
  const auto list = [&](LiveSsts* live, std::string* failure) {
    return ListLiveSsts(db_dir, options.db_paths, column_family, live, failure);
  };
  return ExportListedSsts(db_dir, list, out_dir, sync, options, report, error);
}

}  // namespace cassandra_bloom
