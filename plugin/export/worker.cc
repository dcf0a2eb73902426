// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/worker.h"

#include <unistd.h>

#include <chrono>
#include <exception>
#include <set>
#include <utility>

#include "plugin/export/database_exporter.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {
namespace {

// How long the closing of a database waits for another export to release its
// lock.
constexpr auto kMaxWaitForLock = std::chrono::seconds(5);

bool IsThere(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace

ExportWorker::ExportWorker(const std::vector<ExportTarget>& targets) {
  for (const ExportTarget& target : targets) {
    folders_.push_back({target, {}});
  }
}

ExportWorker::~ExportWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    wait_until_ = std::chrono::steady_clock::now() + kMaxWaitForLock;
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
  database_.folders_verified &= !needs_listing_;
  needs_listing_ = false;
  has_work_ = true;
  changed_.notify_all();
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
  has_work_ |= !needs_listing_;
  changed_.notify_all();
}

bool ExportWorker::AddDeletion(uint64_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool was_live = database_.live.erase(number) > 0;
  // If a listing is needed, this deletion need not be recorded: comparing the
  // folders with that listing finds it.
  if (!needs_listing_) {
    database_.deleted.insert(number);
    has_work_ = true;
    changed_.notify_all();
  }
  return was_live;
}

// True if this thread may wait on for a lock that another export holds. Once
// the database closes, the wait is limited, because closing must not hang.
bool ExportWorker::MayWait() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !stop_ || std::chrono::steady_clock::now() < wait_until_;
}

void ExportWorker::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || has_work_; });
    if (!has_work_) {
      return;
    }
    has_work_ = false;
    working_ = true;
    lock.unlock();
    const bool is_following = FollowAll();
    lock.lock();
    // A new listing is needed, unless one has come in the meantime.
    if (!is_following && database_.folders_verified) {
      needs_listing_ = true;
      has_work_ = false;
    }
    working_ = false;
    ++finished_;
    changed_.notify_all();
  }
}

bool ExportWorker::FollowAll() {
  try {
    const Database database = TakeDatabase();
    bool is_following = true;
    for (Folder& folder : folders_) {
      is_following &= FollowAndCount(database, &folder);
    }
    return is_following;
  } catch (const std::exception& exception) {
    Fail(exception.what());
    return false;
  }
}

ExportWorker::Database ExportWorker::TakeDatabase() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database database = database_;
  database_.deleted.clear();
  database_.folders_verified = true;
  return database;
}

bool ExportWorker::FollowAndCount(const Database& database, Folder* folder) {
  try {
    FilterDbExportReport report;
    std::string error;
    const bool is_following = UpdateFolder(database, folder, &report, &error);
    if (!error.empty()) {
      report.errors.push_back(error);
    }
    Count(report);
    return is_following;
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

// Brings one folder up to date. Returns false if it is not up to date
// afterwards; SST files that cannot be exported do not count.
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
  // Forgets deleted files, so that no filter is kept for another file with the
  // same number.
  for (const uint64_t number : database.deleted) {
    folder->has_filter.erase(number);
  }
  if (!database.folders_verified) {
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
  if (!(database.folders_verified
            ? out->IsStillClaimed(claim, error)
            : out->ClaimFor(claim, &report->removed, error))) {
    return false;
  }
  // Removes filters before it writes new ones, to free space.
  bool good = database.folders_verified ||
              out->RemoveOthers(claim.live, &report->removed, error);
  for (const uint64_t number : database.deleted) {
    good &= out->Remove(number, &report->removed, error);
  }
  DatabaseExporter exporter(*plan, *out, /*sync=*/true, report);
  // Ignores the result: a file that no longer exists is no error, because the
  // event of its deletion will come.
  exporter.Export(without_filter);
  // Uses the report and does not look into the folder: if a filter was removed
  // there in the meantime, it must be made again.
  std::set<std::string> made(report->kept.begin(), report->kept.end());
  for (const ExportedFilterDb& exported : report->exported) {
    made.insert(exported.filter_db);
  }
  for (const LiveSst& file : without_filter.files) {
    folder->has_filter[file.number] =
        made.count(out->FilterDbOf(file.number)) > 0;
  }
  if (!database.folders_verified && !database.uses_default_file_system &&
      !without_filter.files.empty() && report->exported.empty() &&
      report->kept.empty() && report->errors.empty()) {
    *error = without_filter.files.front().path +
             ": does not exist, nor do the other SST files; only files of a "
             "local file system can be exported";
  }
  return good && !exporter.write_failed();
}

// The live files that are new, and those whose filter has been removed from the
// folder.
LiveSsts ExportWorker::FilesWithoutFilter(const Database& database,
                                          const Folder& folder,
                                          const ExportFolder& out) {
  LiveSsts without_filter;
  for (const auto& [number, path] : database.live) {
    const auto known = folder.has_filter.find(number);
    if (known == folder.has_filter.end() ||
        (known->second && !IsThere(out.FilterDbOf(number)))) {
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
  if (thread_.joinable()) {
    const uint64_t target =
        finished_ + (working_ ? 1 : 0) + (has_work_ ? 1 : 0);
    changed_.wait(
        lock, [&] { return finished_ >= target || (!working_ && !has_work_); });
  }
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
  // Counted last: whoever sees the count also finds the reason in the LOG.
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
