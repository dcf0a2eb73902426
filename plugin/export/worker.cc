// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/worker.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>
#include <utility>

#include "plugin/export/database_exporter.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {
namespace {

constexpr auto kMaxWaitForLock = std::chrono::seconds(5);

}  // namespace

ExportWorker::ExportWorker(const std::vector<ExportTarget>& targets) {
  for (const ExportTarget& target : targets) {
    folders_.push_back({target, {}});
  }
}

ExportWorker::~ExportWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_deadline_ = std::chrono::steady_clock::now() + kMaxWaitForLock;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

bool ExportWorker::NeedsListing() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return needs_listing_;
}

void ExportWorker::RequestListing() {
  const std::lock_guard<std::mutex> lock(mutex_);
  needs_listing_ = true;
}

void ExportWorker::ReplaceListing(const LiveSsts& listing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Run(); });
  }
  std::map<uint64_t, std::string> live;
  for (const LiveSst& file : listing.files) {
    live[file.number] = file.path;
  }
  database_.live = std::move(live);
  database_.name = listing.database;
  database_.uses_default_file_system = listing.uses_default_file_system;
  Add(needs_listing_ ? Work::kComparison : Work::kUpdate);
  needs_listing_ = false;
}

void ExportWorker::AddChanges(const std::vector<std::string>& replaced,
                              const std::vector<std::string>& installed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::string& path : replaced) {
    database_.live.erase(NumberOfSst(path).value_or(0));
  }
  for (const std::string& path : installed) {
    if (const auto number = NumberOfSst(path)) {
      database_.live[*number] = path;
    }
  }
  if (!needs_listing_) {
    Add(Work::kUpdate);
  }
}

bool ExportWorker::AddDeletion(uint64_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool was_live = database_.live.erase(number) > 0;
  if (!needs_listing_) {
    database_.deleted.insert(number);
    Add(Work::kUpdate);
  }
  return was_live;
}

// The caller must hold `mutex_`.
void ExportWorker::Add(Work work) {
  database_.pending = std::max(database_.pending, work);
  ++calls_;
  changed_.notify_all();
}

// Returns true if the thread may still wait for a folder's lock. When the
// database closes, the wait is limited, so that closing does not hang.
bool ExportWorker::MayWait() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !closing_deadline_ ||
         std::chrono::steady_clock::now() < *closing_deadline_;
}

void ExportWorker::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] {
      return closing_deadline_ || database_.pending != Work::kNothing;
    });
    if (database_.pending == Work::kNothing) {
      return;
    }
    const uint64_t calls = calls_;
    lock.unlock();
    const bool up_to_date = UpdateAllFolders();
    lock.lock();
    // After a failure, the folders must be compared with a listing, because the
    // thread does not repeat the failed work. If a comparison is already
    // pending, no new listing is needed.
    if (!up_to_date && database_.pending != Work::kComparison) {
      database_.pending = Work::kNothing;
      needs_listing_ = true;
    }
    done_ = database_.pending == Work::kNothing ? calls_ : calls;
    changed_.notify_all();
  }
}

bool ExportWorker::UpdateAllFolders() {
  try {
    const Database database = TakeDatabase();
    bool up_to_date = true;
    for (Folder& folder : folders_) {
      up_to_date &= UpdateAndCount(database, &folder);
    }
    return up_to_date;
  } catch (const std::exception& exception) {
    Fail(exception.what());
    return false;
  }
}

ExportWorker::Database ExportWorker::TakeDatabase() {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Resets the pending work before the copy. If the copy threw an exception
  // while work was pending, the thread would try again without end.
  const Work work = std::exchange(database_.pending, Work::kNothing);
  Database taken = database_;
  taken.pending = work;
  database_.deleted.clear();
  return taken;
}

bool ExportWorker::UpdateAndCount(const Database& database, Folder* folder) {
  try {
    FilterDbExportReport report;
    std::string error;
    const bool up_to_date = UpdateFolder(database, folder, &report, &error);
    if (!error.empty()) {
      report.errors.push_back(error);
    }
    Count(report);
    return up_to_date;
  } catch (const std::exception& exception) {
    Fail(exception.what());
    return false;
  }
}

void ExportWorker::Count(const FilterDbExportReport& report) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.exported += report.exported.size();
    counts_.removed += report.removed.size();
  }
  if (const size_t count = report.errors.size(); count > 0) {
    const std::string more =
        count > 1 ? " (and " + std::to_string(count - 1) + " more)" : "";
    Fail((report.errors.front() + more).c_str(), count);
  }
}

// Returns false on failure. An SST file that cannot be exported is no failure.
bool ExportWorker::UpdateFolder(const Database& database, Folder* folder,
                                FilterDbExportReport* report,
                                std::string* error) {
  const ExportTarget& target = folder->target;
  FilterDbExportOptions options;
  options.sstable_version = target.sstable_version;
  const auto plan = PlanExport(options, error);
  if (!plan) {
    return false;
  }
  const auto out = ExportFolder::Open(
      target.out_dir, target.sstable_version, /*sync=*/true,
      [this] { return MayWait(); }, error);
  if (out == nullptr) {
    return false;
  }
  // Forgets the deleted files, because another SST file may later get the same
  // number.
  for (const uint64_t number : database.deleted) {
    folder->has_filter.erase(number);
  }
  const bool compare = database.pending == Work::kComparison;
  if (compare) {
    folder->has_filter.clear();
    out->RemoveLeftOvers();
  }
  const LiveSsts without_filter = FilesWithoutFilter(database, *folder, *out);
  ExportFolder::Claim claim;
  claim.database = database.name;
  claim.contents = ContentsOf(*plan, without_filter);
  for (const auto& live : database.live) {
    claim.live.insert(live.first);
  }
  if (!(compare ? out->ClaimFor(claim, &report->removed, error)
                : out->IsStillClaimed(claim, error))) {
    return false;
  }
  // Removes old filters first, to free disk space for new ones.
  bool good =
      !compare || out->RemoveOthers(claim.live, &report->removed, error);
  for (const uint64_t number : database.deleted) {
    good &= out->Remove(number, &report->removed, error);
  }
  good &= MakeFilters(*plan, *out, without_filter, folder, report);
  if (compare && !database.uses_default_file_system &&
      !without_filter.files.empty() && report->exported.empty() &&
      report->kept.empty() && report->errors.empty()) {
    *error = without_filter.files.front().path +
             ": does not exist, nor do the other SST files; only files of a "
             "local file system can be exported";
  }
  return good;
}

// Returns false if a filter could not be written.
bool ExportWorker::MakeFilters(const ExportPlan& plan, const ExportFolder& out,
                               const LiveSsts& without_filter, Folder* folder,
                               FilterDbExportReport* report) {
  DatabaseExporter exporter(plan, out, /*sync=*/true, report);
  // Ignores the result. A file that no longer exists is no error, because
  // RocksDB will report its deletion.
  exporter.Export(without_filter);
  // Uses the report and does not look into the folder, because somebody may
  // already have removed a new filter. `has_filter` must be true for such a
  // filter, because only then it is made again.
  std::set<std::string> made(report->kept.begin(), report->kept.end());
  for (const ExportedFilterDb& exported : report->exported) {
    made.insert(exported.filter_db);
  }
  for (const LiveSst& file : without_filter.files) {
    folder->has_filter[file.number] =
        made.count(out.FilterDbOf(file.number)) > 0;
  }
  return !exporter.write_failed();
}

// Returns the new live files, and those whose filter somebody has removed.
LiveSsts ExportWorker::FilesWithoutFilter(const Database& database,
                                          const Folder& folder,
                                          const ExportFolder& out) {
  LiveSsts without_filter;
  for (const auto& [number, path] : database.live) {
    const auto known = folder.has_filter.find(number);
    if (known == folder.has_filter.end() ||
        (known->second && !out.HasFilter(number))) {
      LiveSst file;
      file.number = number;
      file.path = path;
      without_filter.files.push_back(file);
    }
  }
  return without_filter;
}

void ExportWorker::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this, calls = calls_] { return done_ >= calls; });
}

FilterDbExportCounts ExportWorker::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void ExportWorker::Fail(const char* error, uint64_t failures) {
  {
    const std::lock_guard<std::mutex> lock(log_mutex_);
    ReportError(info_log_.get(), "%s: %s", kExportListenerName, error);
  }
  // Counts last, so that a program that sees the count finds the reason in the
  // LOG.
  const std::lock_guard<std::mutex> lock(mutex_);
  counts_.failed += failures;
}

void ExportWorker::SetLog(std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log) {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  info_log_ = std::move(info_log);
}

bool ExportWorker::HasLog() const {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  return info_log_ != nullptr;
}

void ExportWorker::DatabaseIsClosed() {
  SetLog(nullptr);
  RequestListing();
}

}  // namespace cassandra_bloom
