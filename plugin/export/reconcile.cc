// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/reconcile.h"

#include <algorithm>

#include "plugin/export/export_folder.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {
namespace {

// A compaction may remove files that were listed. The next listing has the
// files that replaced them.
constexpr int kMaxListings = 20;

// Exports the SST files of several listings, each file once.
class Exporter {
 public:
  // The arguments must outlive this object.
  Exporter(const ExportPlan& plan, ExportFolder* folder, const StopExport& stop,
           std::set<std::string>* unreadable, FilterDbExportReport* report,
           std::string* error)
      : plan_(plan),
        folder_(folder),
        stop_(stop),
        unreadable_(unreadable),
        report_(report),
        error_(error) {}

  bool ExportListings(const ListSsts& list);

 private:
  bool Export(const LiveSsts& live, bool* has_gone);
  bool ExportOne(const LiveSst& sst, bool* has_gone);
  ExportResult Write(const LiveSst& sst, ExportedFilterDb* exported,
                     std::string* failure);

  const ExportPlan& plan_;
  ExportFolder* const folder_;
  const StopExport& stop_;
  std::set<std::string>* const unreadable_;
  FilterDbExportReport* const report_;
  std::string* const error_;
  std::set<std::string> finished_;  // Identities.
  std::set<std::string> gone_;
  std::set<std::string> skipped_;  // They could not be read before.
};

bool Exporter::ExportListings(const ListSsts& list) {
  bool has_gone = true;
  LiveSsts live;
  for (int listing = 1; has_gone; ++listing) {
    if (listing > kMaxListings) {
      *error_ =
          live.database + ": its files disappear faster than they are exported";
      return false;
    }
    if (!list(&live, error_)) {
      return false;
    }
    const bool is_ours =
        listing > 1 ||
        folder_->ClaimFor(live.database, plan_.options.overwrite, error_);
    if (!is_ours || !folder_->RemoveOthers(live, &report_->removed, error_) ||
        !Export(live, &has_gone)) {
      return false;
    }
  }
  if (!plan_.options.dry_run && !folder_->Compact(error_)) {
    return false;
  }
  if (const size_t count = report_->errors.size(); count > 0) {
    *error_ = live.database + ": " + std::to_string(count) +
              (count == 1 ? " SST file was" : " SST files were") +
              " not exported";
    return false;
  }
  return std::none_of(
      live.files.begin(), live.files.end(),
      [this](const LiveSst& sst) { return skipped_.count(sst.identity) > 0; });
}

// Returns false if the export must end. Sets `*has_gone` if a listed file no
// longer exists. The caller must then call this function with a new listing. If
// that contains the file and it still does not exist, reports an error.
bool Exporter::Export(const LiveSsts& live, bool* has_gone) {
  *has_gone = false;
  for (const LiveSst& sst : live.files) {
    if (stop_() || !ExportOne(sst, has_gone)) {
      return false;
    }
  }
  return true;
}

bool Exporter::ExportOne(const LiveSst& sst, bool* has_gone) {
  if (finished_.count(sst.identity) > 0) {
    return true;
  }
  ExportedFilterDb exported;
  exported.sst_file = sst.path;
  exported.filter_db = folder_->FilterDbOf(sst.number);
  if (!plan_.options.overwrite && folder_->HasFilterOf(sst)) {
    report_->kept.push_back(exported.filter_db);
    finished_.insert(sst.identity);
    return true;
  }
  if (plan_.options.dry_run) {
    report_->exported.push_back(exported);
    finished_.insert(sst.identity);
    return true;
  }
  std::string failure;
  switch (Write(sst, &exported, &failure)) {
    case ExportResult::kDone:
      report_->exported.push_back(exported);
      break;
    case ExportResult::kStopped:
      return false;
    case ExportResult::kCannotWrite:
      *error_ = failure;
      return false;
    case ExportResult::kCannotRead:
      if (unreadable_->count(sst.identity) > 0) {
        skipped_.insert(sst.identity);
        break;
      }
      if (!FileExists(sst.path)) {
        if (gone_.insert(sst.identity).second) {
          *has_gone = true;
          return true;
        }
        failure = sst.path +
                  ": missing, though the MANIFEST names it (only local files "
                  "can be exported); if the database has db_paths or cf_paths, "
                  "name every folder of its SST files, because no file of the "
                  "database does; if not, its rows are "
                  "lost: restore the database from a backup";
      }
      report_->errors.push_back(failure);
      unreadable_->insert(sst.identity);
      break;
  }
  finished_.insert(sst.identity);
  return true;
}

// First removes the old filter, because it may be that of another SST file. If
// the export then fails, the folder must not keep a wrong filter.
ExportResult Exporter::Write(const LiveSst& sst, ExportedFilterDb* exported,
                             std::string* failure) {
  if (!folder_->Remove(sst.number, failure)) {
    return ExportResult::kCannotWrite;
  }
  if (unreadable_->count(sst.identity) > 0) {
    return ExportResult::kCannotRead;
  }
  const ExportResult result =
      ExportSst(plan_, /*overwrite=*/true, stop_, exported, failure);
  if (result != ExportResult::kDone || folder_->Record(sst, failure)) {
    return result;
  }
  // A filter that is not in the mark may not stay.
  std::string ignored;
  folder_->Remove(sst.number, &ignored);
  return ExportResult::kCannotWrite;
}

}  // namespace

bool Reconcile(const ExportPlan& plan, const std::string& out_dir,
               const ListSsts& list, const StopExport& stop,
               std::set<std::string>* unreadable, FilterDbExportReport* report,
               std::string* error) {
  *report = {};
  const auto folder = ExportFolder::Open(out_dir, plan.options.sstable_version,
                                         ExportOptionsText(plan),
                                         plan.options.dry_run, stop, error);
  return folder != nullptr &&
         Exporter(plan, folder.get(), stop, unreadable, report, error)
             .ExportListings(list);
}

}  // namespace cassandra_bloom
