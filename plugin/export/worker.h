// SPDX-License-Identifier: Apache-2.0

// The thread of an export listener. It keeps a folder up to date with a
// database.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_sst.h"
#include "plugin/export/live_ssts.h"

namespace cassandra_bloom {

// Every event only says that something may have changed. After a while without
// events, the thread lists the live files and calls Reconcile. So no event need
// be complete, come in order, or come at all.
class ExportWorker {
 public:
  ExportWorker(std::string out_dir, ExportPlan plan)
      : out_dir_(std::move(out_dir)), plan_(std::move(plan)) {}

  // Works for at most 1 s. What is left is done after the next event of the
  // database, by another worker.
  ~ExportWorker();

  // Something may have changed in `db`. RocksDB's mutex must not be held.
  void OnChange(ROCKSDB_NAMESPACE::DB* db);

  // Something may have changed in the database of the latest OnChange.
  void OnFilesChanged();

  // The database may be about to close. Lists its files, if there may be work,
  // and does not use the database again before its next event.
  void OnDatabaseMayClose();

  // Waits until no work is left that can be done now.
  void WaitUntilIdle();

  FilterDbExportCounts counts() const;

  void Fail(const std::string& error, uint64_t failures = 1);

 private:
  using Clock = std::chrono::steady_clock;

  // The caller of these functions must hold `mutex_`.
  void SetDirty();
  bool HasWork() const;
  std::optional<Clock::time_point> WhenDue() const;

  void Run();
  void Pass();
  bool List(LiveSsts* live);
  bool MustStop() const;
  void SetLog(std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log);

  const std::string out_dir_;
  const ExportPlan plan_;

  // Held while `db_` is used, so that the database is not closed meanwhile. Is
  // locked before `mutex_`.
  std::mutex db_mutex_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ROCKSDB_NAMESPACE::DB* db_ = nullptr;   // Null if it may be closed.
  std::optional<LiveSsts> last_listing_;  // Of a database that may be closed.
  bool is_dirty_ = false;
  Clock::time_point first_event_;  // Since the latest listing.
  Clock::time_point last_event_;
  Clock::time_point last_listed_;
  bool is_working_ = false;
  bool has_failed_ = false;  // The latest pass, or it was stopped.
  int waiting_ = 0;          // Callers of WaitUntilIdle.
  std::optional<Clock::time_point> closing_deadline_;
  FilterDbExportCounts counts_;
  std::thread thread_;

  // SST files that could not be read are tried again after a minute, not after
  // each event. Used only by `thread_`.
  std::set<std::string> unreadable_;
  Clock::time_point forget_unreadable_;

  std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
