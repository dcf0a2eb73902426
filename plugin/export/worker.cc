// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/worker.h"

#include <unistd.h>

#include <chrono>
#include <exception>
#include <utility>

#include "plugin/export/database_exporter.h"
#include "plugin/export/folder.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {
namespace {

// How long a database that is being closed waits for another export.
constexpr auto kPatience = std::chrono::seconds(5);

LiveSsts LiveAfter(const std::optional<LiveSsts>& listing,
                   const ExportWorker::Changes& changes) {
  LiveSsts live;
  if (listing) {
    for (const LiveSst& file : listing->files) {
      if (changes.count(file.number) == 0) {
        live.files.push_back(file);
      }
    }
  }
  for (const auto& [number, path] : changes) {
    if (!path.empty()) {
      live.files.emplace_back();
      live.files.back().number = number;
      live.files.back().path = path;
    }
  }
  return live;
}

std::string FilterOf(const ExportTarget& target, uint64_t number) {
  return target.out_dir + "/" + FilterDbName(target.sstable_version, number);
}

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
    wait_until_ = std::chrono::steady_clock::now() + kPatience;
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

void ExportWorker::NeedListing() {
  const std::lock_guard<std::mutex> lock(mutex_);
  needs_listing_ = true;
}

void ExportWorker::HandOver(LiveSsts listing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Run(); });
  }
  // It is newer than all changes so far.
  work_ = {std::move(listing), {}};
  needs_listing_ = false;
  changed_.notify_all();
}

void ExportWorker::HandOver(const Changes& changes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [number, path] : changes) {
    work_.changes[number] = path;
  }
  changed_.notify_all();
}

// For somebody else's lock: the database is not to hang when it is closed.
bool ExportWorker::MayWait() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !stop_ || std::chrono::steady_clock::now() < wait_until_;
}

bool ExportWorker::HasWork() const {
  return work_.listing || (is_following_ && !work_.changes.empty());
}

void ExportWorker::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || HasWork(); });
    if (!HasWork()) {
      return;
    }
    const Work work = std::exchange(work_, {});
    working_ = true;
    lock.unlock();
    bool is_following = true;
    for (Folder& folder : folders_) {
      is_following &= Perform(work, &folder);
    }
    lock.lock();
    is_following_ = is_following;
    needs_listing_ |= !is_following;
    working_ = false;
    ++finished_;
    changed_.notify_all();
  }
}

bool ExportWorker::Perform(const Work& work, Folder* folder) {
  try {
    FilterDbExportReport report;
    std::string error;
    const bool is_following = Follow(work, folder, &report, &error);
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

// Of those that somebody has removed.
ExportWorker::Changes ExportWorker::WithFiltersToMakeAgain(
    const Changes& changes, const Folder& folder) {
  Changes all = changes;
  for (const auto& [number, path] : folder.filtered) {
    if (!IsThere(FilterOf(folder.target, number))) {
      all.emplace(number, path);
    }
  }
  return all;
}

void ExportWorker::NoteFiltered(const LiveSsts& live, Folder* folder) {
  for (const LiveSst& file : live.files) {
    if (IsThere(FilterOf(folder->target, file.number))) {
      folder->filtered[file.number] = file.path;
    } else {
      folder->filtered.erase(file.number);
    }
  }
}

// False if the folder is not as it should be, other than for SST files that
// cannot be exported.
bool ExportWorker::Follow(const Work& work, Folder* folder,
                          FilterDbExportReport* report, std::string* error) {
  const std::string& out_dir = folder->target.out_dir;
  FilterDbExportOptions options;
  options.sstable_version = folder->target.sstable_version;
  FilterForm form;
  if (!AreGoodExportOptions(options, &form, error) ||
      !PrepareExportFolder(out_dir, error) || !MayBeSynced(out_dir, error)) {
    return false;
  }
  const ExportFolderLock lock(out_dir, [this] { return MayWait(); });
  if (!lock.may_write()) {
    *error =
        out_dir +
        ": somebody else holds its lock (flock), and the database is being "
        "closed: what changed last is made up for after the next open";
    return false;
  }
  if (work.listing) {
    database_ = work.listing->database;
    folder->filtered.clear();
    RemoveLeftOversIn(out_dir, options.sstable_version);
  }
  const Changes changes = WithFiltersToMakeAgain(work.changes, *folder);
  const LiveSsts live = LiveAfter(work.listing, changes);
  const FilterContents contents = ContentsOf(options, live);
  bool is_new = false;
  if (!CheckFolderMark(out_dir, database_, contents, NumbersOf(live),
                       /*overwrite=*/false, &is_new, error)) {
    return false;
  }
  if (is_new && !work.listing) {
    *error = out_dir + ": is no longer marked as that of " + database_ +
             "; its filters are made again after the next flush, compaction or "
             "ingestion";
    return false;
  }
  if (is_new && !MarkFolder(out_dir, database_, contents, NumbersOf(live),
                            &report->removed, error)) {
    return false;
  }
  options.overwrite = is_new;
  // Removals first, as they make room.
  bool good = !work.listing ||
              RemoveOtherFilterDbs(out_dir, options.sstable_version,
                                   NumbersOf(live), &report->removed, error);
  for (const auto& [number, path] : changes) {
    if (path.empty()) {
      folder->filtered.erase(number);
      good &= RemoveFilterDb(out_dir, options.sstable_version, number,
                             &report->removed, error);
    }
  }
  DatabaseExporter exporter(out_dir, /*sync=*/true, options, form, report);
  // A file that is gone already is no error: the event of that is on its way.
  exporter.Export(live);
  NoteFiltered(live, folder);
  if (work.listing && !work.listing->usual_file_system && !live.files.empty() &&
      report->exported.empty() && report->kept.empty() &&
      report->errors.empty()) {
    *error = live.files.front().path +
             ": is not there, and neither are the others; only files of a "
             "local file system can be exported";
  }
  return good && !exporter.write_failed();
}

void ExportWorker::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (thread_.joinable()) {
    const uint64_t target =
        finished_ + (working_ ? 1 : 0) + (HasWork() ? 1 : 0);
    changed_.wait(
        lock, [&] { return finished_ >= target || (!working_ && !HasWork()); });
  }
}

FilterDbExportCounts ExportWorker::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void ExportWorker::Fail(const char* error, uint64_t failures) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.failed += failures;
  }
  const std::lock_guard<std::mutex> lock(log_mutex_);
  ReportError(info_log_.get(), "%s: %s", kExportListenerName, error);
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
  NeedListing();
}

}  // namespace cassandra_bloom
