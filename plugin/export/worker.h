// SPDX-License-Identifier: Apache-2.0

// Makes folders of Filter.db files follow what it is told of a database, in a
// thread of its own.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_

#include <rocksdb/env.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/target.h"

namespace cassandra_bloom {

// Safe for concurrent use; what is handed over has to come in the order in
// which it happened.
class ExportWorker {
 public:
  // By number: the path of a new SST file, or nothing for a deleted one.
  using Changes = std::map<uint64_t, std::string>;

  explicit ExportWorker(const std::vector<ExportTarget>& targets);

  // Takes until all is done.
  ~ExportWorker();

  // Whether the folders have to be compared with a listing: at first, and when
  // something went wrong. Until there is one, changes are only kept.
  bool NeedsListing() const;
  void NeedListing();

  void HandOver(LiveSsts listing);
  void HandOver(const Changes& changes);

  // Until all is done that was handed over before the call.
  void Wait();

  FilterDbExportCounts counts() const;

  // Counts and logs a failure.
  void Fail(const char* error, uint64_t failures = 1);

  // Where failures are logged from now on, and not on stderr.
  void SetLog(std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log);
  bool HasLog() const;

  // Forgets the LOG, and needs a listing.
  void DatabaseIsClosed();

 private:
  struct Work {
    std::optional<LiveSsts> listing;
    Changes changes;
  };

  struct Folder {
    ExportTarget target;
    Changes filtered;  // Live SST files, when last seen, with their Filter.db.
  };

  static Changes WithFiltersToMakeAgain(const Changes& changes,
                                        const Folder& folder);
  static void NoteFiltered(const LiveSsts& live, Folder* folder);

  bool HasWork() const;
  bool MayWait() const;
  void Run();
  bool Perform(const Work& work, Folder* folder);
  bool Follow(const Work& work, Folder* folder, FilterDbExportReport* report,
              std::string* error);
  void Count(const FilterDbExportReport& report);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Work work_;
  bool needs_listing_ = true;
  bool is_following_ = false;  // The folders were as a listing had them.
  bool working_ = false;
  bool stop_ = false;
  std::chrono::steady_clock::time_point wait_until_;  // Once `stop_` is set.
  uint64_t finished_ = 0;
  FilterDbExportCounts counts_;
  std::thread thread_;

  // For the thread alone.
  std::vector<Folder> folders_;
  std::string database_;  // Of the last listing.

  mutable std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
