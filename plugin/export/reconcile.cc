// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/reconcile.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "plugin/export/export_folder.h"
#include "plugin/export/export_names.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {
namespace {

// A compaction may remove files that were listed. The next listing has the
// files that replaced them.
constexpr int kMaxListings = 20;

// Exports the SST files of several listings, each file once.
class Exporter {
 public:
  // With `folder`, keeps the filters that are right, and records new ones.
  // Without it, writes into `out_dir`. The arguments must outlive this object.
  Exporter(const ExportPlan& plan, const std::string& out_dir,
           ExportFolder* folder, const StopExport& stop,
           std::set<std::string>* unreadable, FilterDbExportReport* report,
           std::string* error)
      : plan_(plan),
        out_dir_(out_dir),
        folder_(folder),
        stop_(stop),
        unreadable_(unreadable),
        report_(report),
        error_(error) {}

  // Returns false if the export must end. Sets `*has_gone` if a listed file no
  // longer exists. The caller must then call this function with a new listing.
  // If that contains the file and it still does not exist, reports an error.
  bool Export(const LiveSsts& live, bool* has_gone);

 private:
  bool ExportOne(const LiveSst& sst, const ExportProgress& progress,
                 bool* has_gone);
  ExportResult Write(const LiveSst& sst, const ExportProgress& progress,
                     ExportedFilterDb* exported, std::string* failure);
  std::string FilterDbOf(const LiveSst& sst) const;
  std::string WhyNotTried(const LiveSst& sst,
                          const std::string& filter_db) const;

  const ExportPlan& plan_;
  const std::string& out_dir_;
  ExportFolder* const folder_;
  const StopExport stop_;  // A copy: callers pass temporaries.
  std::set<std::string>* const unreadable_;
  FilterDbExportReport* const report_;
  std::string* const error_;
  std::set<std::string> finished_;  // Identities.
  std::set<std::string> gone_;
};

bool Exporter::Export(const LiveSsts& live, bool* has_gone) {
  uint64_t done = 0;
  uint64_t all = 0;
  for (const LiveSst& sst : live.files) {
    all += sst.num_entries;
  }
  *has_gone = false;
  for (const LiveSst& sst : live.files) {
    const ExportProgress progress = [&](uint64_t entries, uint64_t) {
      if (plan_.options.progress) {
        plan_.options.progress(done + std::min(entries, sst.num_entries), all);
      }
    };
    if (stop_() || !ExportOne(sst, progress, has_gone)) {
      return false;
    }
    done += sst.num_entries;
    progress(0, 0);
  }
  return true;
}

bool Exporter::ExportOne(const LiveSst& sst, const ExportProgress& progress,
                         bool* has_gone) {
  if (finished_.count(sst.identity) > 0) {
    return true;
  }
  ExportedFilterDb exported;
  exported.sst_file = sst.path;
  exported.filter_db = FilterDbOf(sst);
  if (folder_ != nullptr && !plan_.options.overwrite &&
      folder_->HasFilterOf(sst)) {
    report_->kept.push_back(exported.filter_db);
    finished_.insert(sst.identity);
    return true;
  }
  std::string failure = WhyNotTried(sst, exported.filter_db);
  if (plan_.options.dry_run) {
    if (failure.empty()) {
      report_->exported.push_back(exported);
    } else {
      report_->errors.push_back(failure);
    }
    finished_.insert(sst.identity);
    return true;
  }
  switch (Write(sst, progress, &exported, &failure)) {
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
        break;
      }
      if (sst.error.empty() && !FileExists(sst.path)) {
        if (gone_.insert(sst.identity).second) {
          *has_gone = true;
          return true;
        }
        failure = sst.path + ": " + WhyMissing(sst) +
                  " (only local files can be exported); " +
                  RemedyForMissing(sst);
      }
      report_->errors.push_back(failure);
      unreadable_->insert(sst.identity);
      break;
  }
  finished_.insert(sst.identity);
  return true;
}

// `*failure` is that of WhyNotTried. First removes the old filter, because it
// may be that of another SST file. If the export then fails, the folder must
// not keep a wrong filter.
ExportResult Exporter::Write(const LiveSst& sst, const ExportProgress& progress,
                             ExportedFilterDb* exported, std::string* failure) {
  if (folder_ != nullptr && !folder_->Remove(sst.number, failure)) {
    return ExportResult::kCannotWrite;
  }
  if (!failure->empty() || unreadable_->count(sst.identity) > 0) {
    // Not a failure to write, because other files may still be exported.
    return ExportResult::kCannotRead;
  }
  const bool overwrite = plan_.options.overwrite || folder_ != nullptr;
  const ExportResult result =
      ExportSst(plan_, overwrite, stop_, progress, exported, failure);
  if (result != ExportResult::kDone || folder_ == nullptr ||
      folder_->Record(sst, failure)) {
    return result;
  }
  // A filter that is not in the mark may not stay.
  std::string ignored;
  folder_->Remove(sst.number, &ignored);
  return ExportResult::kCannotWrite;
}

// Returns why the file is not even tried, or "".
std::string Exporter::WhyNotTried(const LiveSst& sst,
                                  const std::string& filter_db) const {
  std::string why = sst.error;
  if (why.empty() && folder_ == nullptr && !plan_.options.overwrite &&
      NameExists(filter_db)) {
    errno = EEXIST;
    FailWithErrno(filter_db, "will not be overwritten", &why);
  }
  return why;
}

std::string Exporter::FilterDbOf(const LiveSst& sst) const {
  return folder_ != nullptr
             ? folder_->FilterDbOf(sst.number)
             : out_dir_ + "/" +
                   FilterDbName(plan_.options.sstable_version, sst.number);
}

bool ExportListings(const ListSsts& list, ExportFolder* folder,
                    const ExportPlan& plan, Exporter* exporter,
                    FilterDbExportReport* report, std::string* error) {
  bool has_gone = true;
  LiveSsts live;
  for (int listing = 1; has_gone; ++listing) {
    if (listing > kMaxListings) {
      *error =
          live.database + ": its files disappear faster than they are exported";
      return false;
    }
    if (!list(&live, error)) {
      return false;
    }
    if (folder != nullptr &&
        !((listing > 1 ||
           folder->ClaimFor(live.database, plan.options.overwrite, error)) &&
          folder->RemoveOthers(live, &report->removed, error))) {
      return false;
    }
    if (!exporter->Export(live, &has_gone)) {
      return false;
    }
  }
  if (folder != nullptr && !plan.options.dry_run && !folder->Compact(error)) {
    return false;
  }
  if (const size_t count = report->errors.size(); count > 0) {
    *error = live.database + ": " + std::to_string(count) +
             (count == 1 ? " SST file was" : " SST files were") +
             " not exported";
    return false;
  }
  return true;
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
  if (folder == nullptr) {
    return false;
  }
  Exporter exporter(plan, out_dir, folder.get(), stop, unreadable, report,
                    error);
  return ExportListings(list, folder.get(), plan, &exporter, report, error);
}

// ---- The public functions ----

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
  const ExportProgress progress = [&](uint64_t done, uint64_t all) {
    if (options.progress) {
      options.progress(done, all);
    }
  };
  return ExportSst(*plan, options.overwrite, NeverStop, progress, exported,
                   error) == ExportResult::kDone;
}

bool ExportFilterDbs(const std::string& db_dir,
                     const std::string& column_family,
                     const std::string& out_dir, bool sync,
                     const FilterDbExportOptions& options,
                     FilterDbExportReport* report, std::string* error) {
  *report = {};
  const auto plan = PlanExport(options, error);
  if (!plan || !IsNameableVersion(options.sstable_version, error)) {
    return false;
  }
  const ListSsts list = [&](LiveSsts* live, std::string* failure) {
    return ListLiveSsts(db_dir, options.db_paths, column_family, live, failure);
  };
  // Without a database, no folder is made.
  LiveSsts ignored;
  if (!list(&ignored, error)) {
    return false;
  }
  std::set<std::string> unreadable;
  if (sync) {
    return Reconcile(*plan, out_dir, list, NeverStop, &unreadable, report,
                     error);
  }
  if (!options.dry_run && mkdir(out_dir.c_str(), 0777) != 0 &&
      errno != EEXIST) {
    return FailWithErrno(out_dir, "is no folder, and cannot be created", error);
  }
  Exporter exporter(*plan, out_dir, /*folder=*/nullptr, NeverStop, &unreadable,
                    report, error);
  return ExportListings(list, /*folder=*/nullptr, *plan, &exporter, report,
                        error);
}

}  // namespace cassandra_bloom
