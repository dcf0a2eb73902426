// SPDX-License-Identifier: Apache-2.0

#include "tools/export/reconcile.h"

#include "plugin/export/export_folder.h"
#include "plugin/filter_db/read_file.h"
#include "tools/export/folder_upkeep.h"

namespace cassandra_bloom {
namespace {

// A compaction may remove files that were listed. The next listing has the
// files that replaced them. The first one takes longest, because it exports
// most.
constexpr int kMaxListings = 5;

constexpr char kMissing[] =
    ": missing, as .sst and as .ldb, though the MANIFEST names it (only local "
    "files can be exported); if the database has db_paths or cf_paths, name "
    "every folder of its SST files, because no file of the database does; if "
    "not, restore this file from a backup";

class Reconciliation {
 public:
  // The arguments must outlive this object.
  Reconciliation(const ExportPlan& plan, const std::string& out_dir,
                 ExportReport* report, std::string* error)
      : plan_(plan),
        folder_(FolderOf(plan, out_dir)),
        report_(report),
        error_(error) {}

  bool Run(const ListSsts& list);

 private:
  bool ExportLive(const LiveSsts& live, std::vector<std::string>* gone);
  bool RemoveOthers(const LiveSsts& live);
  ExportResult Export(uint64_t number, const std::string& sst,
                      std::string* failure);

  const ExportPlan& plan_;
  const ExportFolder folder_;
  ExportReport* const report_;
  std::string* const error_;
  std::set<std::string> mark_;   // Its lines.
  std::set<uint64_t> finished_;  // Numbers.
};

bool Reconciliation::Run(const ListSsts& list) {
  LiveSsts live = list();
  std::vector<std::string> gone;
  if (!folder_.Claim(live.database, error_) ||
      !folder_.MayBeTaken(/*is_claimed=*/true, error_) ||
      !ReadMark(folder_, &mark_, error_) || !ExportLive(live, &gone)) {
    return false;
  }
  for (int listing = 2; !gone.empty() && listing <= kMaxListings; ++listing) {
    live = list();
    gone.clear();
    if (!ExportLive(live, &gone)) {
      return false;
    }
  }
  for (const std::string& sst : gone) {
    report_->errors.push_back(sst + kMissing);
  }
  if ((gone.empty() && !RemoveOthers(live)) ||
      (!plan_.options.dry_run && !ShortenMark(folder_, error_))) {
    return false;
  }
  if (const size_t count = report_->errors.size(); count > 0) {
    *error_ = live.database + ": " + std::to_string(count) +
              (count == 1 ? " SST file was" : " SST files were") +
              " not exported";
    return false;
  }
  return true;
}

// Exports the files that are not finished. Returns false if the export must
// end.
bool Reconciliation::ExportLive(const LiveSsts& live,
                                std::vector<std::string>* gone) {
  for (const auto& [number, sst] : live.files) {
    if (finished_.count(number) > 0) {
      continue;
    }
    std::string failure;
    const ExportResult result = Export(number, sst, &failure);
    if (result == ExportResult::kCannotWrite) {
      *error_ = failure;
      return false;
    }
    if (result == ExportResult::kGone) {
      gone->push_back(sst);
      continue;
    }
    if (result != ExportResult::kDone) {
      report_->errors.push_back(failure);
    }
    finished_.insert(number);
  }
  return true;
}

// Adds what was done to the report, but no failure.
ExportResult Reconciliation::Export(uint64_t number, const std::string& sst,
                                    std::string* failure) {
  const ExportOptions& options = plan_.options;
  if (!options.overwrite && HasFilterOf(folder_, mark_, number, sst)) {
    report_->kept.push_back(folder_.FilterDbOf(number));
    return ExportResult::kDone;
  }
  ExportedFilterDb exported;
  exported.sst_file = sst;
  exported.filter_db = folder_.FilterDbOf(number);
  const auto write = [&](const std::string& /*path*/, std::string* error) {
    return ExportSst(plan_, &exported, error);
  };
  const ExportResult result = options.dry_run
                                  ? ExportResult::kDone
                                  : folder_.Renew(number, sst, write, failure);
  if (result == ExportResult::kDone) {
    report_->exported.push_back(exported);
  }
  return result;
}

bool Reconciliation::RemoveOthers(const LiveSsts& live) {
  // A listener may have added filters, with their lines.
  std::vector<uint64_t> numbers;
  if (!ListAndTidy(folder_, &numbers, error_) ||
      !ReadMark(folder_, &mark_, error_)) {
    return false;
  }
  for (const uint64_t number : numbers) {
    const auto other = live.others.find(number);
    std::string sst = other == live.others.end() ? "" : other->second;
    for (const std::string& folder : live.folders) {
      const std::string path = folder + "/" + SstName(number);
      // LevelDB's name for an SST file.
      const std::string ldb = path.substr(0, path.rfind('.')) + ".ldb";
      for (const std::string& one : {path, ldb}) {
        sst = sst.empty() && FileExists(one) ? one : sst;
      }
    }
    std::string failure;
    // Export has removed a filter that it could not renew. Meanwhile a listener
    // may have written a right one.
    if (live.files.count(number) > 0 ||
        (!sst.empty() &&
         Export(number, sst, &failure) != ExportResult::kGone) ||
        other != live.others.end()) {
      continue;
    }
    if (!plan_.options.dry_run && !folder_.Remove(number, error_)) {
      return false;
    }
    report_->removed.push_back(folder_.FilterDbOf(number));
  }
  return true;
}

}  // namespace

bool Reconcile(const ExportPlan& plan, const std::string& out_dir,
               const ListSsts& list, ExportReport* report, std::string* error) {
  *report = {};
  return Reconciliation(plan, out_dir, report, error).Run(list);
}

}  // namespace cassandra_bloom
