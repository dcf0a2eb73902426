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
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/export/folder.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/target.h"

namespace cassandra_bloom {

// Safe for concurrent use; what happened is to be told in its order.
class ExportWorker {
 public:
  explicit ExportWorker(const std::vector<ExportTarget>& targets);

  // Takes until all is done.
  ~ExportWorker();

  // Whether the folders have to be compared with a listing: at first, and when
  // something went wrong. Until there is one, the folders are left alone.
  bool NeedsListing() const;
  void NeedListing();

  // What is live, whatever was told before.
  void ReplaceListing(const LiveSsts& listing);

  // Files that took the place of others. One that is among both has stayed.
  void AddChanges(const std::vector<std::string>& replaced,
                  const std::vector<std::string>& installed);

  // Whether it was live by what was told: then there is something that was not.
  bool AddDeletion(uint64_t number);

  // Until all is done that was told before the call.
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
  // What the folders are to follow.
  struct Database {
    std::string name;  // LiveSsts::database.
    bool usual_file_system = true;
    std::map<uint64_t, std::string> live;  // Paths of SST files, by number.
    // Since the folders were last looked at.
    std::set<uint64_t> deleted;
    bool is_compared = false;  // Or the folders may hold anything.
  };

  struct Folder {
    ExportTarget target;
    // The SST files for which all was done since the last comparison, and
    // whether they have a Filter.db: one that cannot be exported has none.
    std::map<uint64_t, bool> has_filter;
  };

  static LiveSsts Unfiltered(const Database& database, const Folder& folder,
                             const ExportFolder& out);

  bool MayWait() const;
  void Run();
  bool FollowAll();
  Database TakeDatabase();
  bool Perform(const Database& database, Folder* folder);
  bool Follow(const Database& database, Folder* folder,
              FilterDbExportReport* report, std::string* error);
  void Count(const FilterDbExportReport& report);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Database database_;
  bool needs_listing_ = true;
  bool has_work_ = false;
  bool working_ = false;
  bool stop_ = false;
  std::chrono::steady_clock::time_point wait_until_;  // Once `stop_` is set.
  uint64_t finished_ = 0;
  FilterDbExportCounts counts_;
  std::thread thread_;

  std::vector<Folder> folders_;  // For the thread alone.

  mutable std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
