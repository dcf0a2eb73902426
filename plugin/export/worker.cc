// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/worker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "plugin/export/export_names.h"
#include "plugin/export/reconcile.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Logger;

namespace {

// One pass after several events is enough, so it waits until they end.
constexpr auto kQuiet = std::chrono::milliseconds(200);
constexpr auto kMaxDelay = std::chrono::seconds(5);

// A listing of 10,000 files takes 6 ms or more, during which RocksDB's mutex is
// locked.
constexpr auto kBetweenListings = std::chrono::seconds(1);

// The reason may be a passing one, such as too many open files.
constexpr auto kUntilReadAgain = std::chrono::minutes(1);

constexpr auto kMaxClosing = std::chrono::seconds(1);

}  // namespace

ExportWorker::~ExportWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_deadline_ = Clock::now() + kMaxClosing;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ExportWorker::OnChange(DB* db) {
  bool is_new = false;
  bool is_other = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_new = db_ == nullptr;
    is_other = !is_new && db != db_;
    if (is_new) {
      db_ = db;
    }
    if (!is_other) {
      SetDirty();
    }
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { Run(); });
    }
  }
  changed_.notify_all();
  if (is_new) {
    SetLog(db->GetDBOptions().info_log);
  }
  if (is_other) {
    Fail(db->GetName() +
         ": needs a listener of its own, as this one serves another database");
  }
}

void ExportWorker::OnFilesChanged() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    SetDirty();
  }
  changed_.notify_all();
}

void ExportWorker::OnDatabaseMayClose() {
  SetLog(nullptr);
  {
    const std::lock_guard<std::mutex> no_listing(db_mutex_);
    DB* db = nullptr;
    bool may_have_work = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      db = std::exchange(db_, nullptr);
      may_have_work = is_dirty_ || is_working_ || has_failed_;
    }
    if (db != nullptr && may_have_work) {
      LiveSsts listing = LiveSstsOf(db);
      const std::lock_guard<std::mutex> lock(mutex_);
      last_listing_ = std::move(listing);
      SetDirty();
    }
  }
  changed_.notify_all();
}

void ExportWorker::SetDirty() {
  last_event_ = Clock::now();
  if (!is_dirty_) {
    first_event_ = last_event_;
  }
  is_dirty_ = true;
}

bool ExportWorker::HasWork() const {
  return is_dirty_ && (db_ != nullptr || last_listing_);
}

std::optional<ExportWorker::Clock::time_point> ExportWorker::WhenDue() const {
  if (!HasWork()) {
    return std::nullopt;
  }
  return closing_deadline_ || waiting_ > 0
             ? Clock::time_point()
             : std::min(last_event_ + kQuiet, first_event_ + kMaxDelay);
}

// Returns true if the work must end, because the database has closed.
bool ExportWorker::MustStop() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closing_deadline_ && Clock::now() >= *closing_deadline_;
}

void ExportWorker::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto due = WhenDue();
    if (closing_deadline_ &&
        (!HasWork() || Clock::now() >= *closing_deadline_)) {
      return;
    }
    if (!due) {
      changed_.wait(lock);
    } else if (Clock::now() < *due) {
      changed_.wait_until(lock, *due);
    } else {
      is_dirty_ = false;
      is_working_ = true;
      lock.unlock();
      Pass();
      lock.lock();
      is_working_ = false;
      changed_.notify_all();
    }
  }
}

void ExportWorker::Pass() {
  try {
    if (Clock::now() >= forget_unreadable_) {
      unreadable_.clear();
      forget_unreadable_ = Clock::now() + kUntilReadAgain;
    }
    FilterDbExportReport report;
    std::string error;
    const bool good = Reconcile(
        plan_, out_dir_,
        [this](LiveSsts* live, std::string*) { return List(live); },
        [this] { return MustStop(); }, &unreadable_, &report, &error);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      counts_.exported += report.exported.size();
      counts_.removed += report.removed.size();
      has_failed_ = !good;
    }
    if (!report.errors.empty()) {
      const size_t more = report.errors.size() - 1;
      Fail(report.errors.front() +
               (more > 0 ? " (and " + std::to_string(more) + " more)" : ""),
           report.errors.size());
    } else if (!good && !error.empty()) {
      Fail(error);
    }
  } catch (const std::exception& exception) {
    Fail(exception.what());
  }
}

// Returns false if there is no newer listing. Leaves `is_dirty_` set by events
// that came during the pass: if the folder goes away in the middle of a pass,
// only another pass makes again what this one has made already.
bool ExportWorker::List(LiveSsts* live) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_until(lock, last_listed_ + kBetweenListings, [this] {
      return db_ == nullptr || closing_deadline_ || waiting_ > 0;
    });
  }
  const std::lock_guard<std::mutex> use_of_db(db_mutex_);
  DB* db = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    db = db_;
    if (db == nullptr && !last_listing_) {
      return false;
    }
    last_listed_ = Clock::now();
    if (db == nullptr) {
      *live = std::move(*last_listing_);
    }
    last_listing_.reset();
  }
  if (db != nullptr) {
    *live = LiveSstsOf(db);
  }
  return true;
}

void ExportWorker::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !is_working_ && !HasWork(); });
  --waiting_;
}

FilterDbExportCounts ExportWorker::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void ExportWorker::Fail(const std::string& error, uint64_t failures) {
  {
    const std::lock_guard<std::mutex> lock(log_mutex_);
    ReportError(info_log_.get(), "%s: %s", kExportListenerName, error.c_str());
  }
  // Counts last, so that a program that sees the count finds the reason in the
  // LOG.
  const std::lock_guard<std::mutex> lock(mutex_);
  counts_.failed += failures;
}

void ExportWorker::SetLog(std::shared_ptr<Logger> info_log) {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  info_log_ = std::move(info_log);
}

}  // namespace cassandra_bloom
