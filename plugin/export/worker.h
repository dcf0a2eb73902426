// SPDX-License-Identifier: Apache-2.0

// Keeps folders of Filter.db files up to date with a database, in a thread of
// its own. It learns of the changes of the database through calls.

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
#include "plugin/export/folder/folder.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/target.h"

namespace cassandra_bloom {

// Safe for concurrent use, but changes must be added in the order in which they
// happened.
class ExportWorker {
 public:
  explicit ExportWorker(const std::vector<ExportTarget>& targets);

  // Waits until all work is done. Its wait for another export's lock is
  // limited.
  ~ExportWorker();

  // True if a listing is needed to compare the folders with, as at first and
  // after something went wrong. Until the listing comes, the folders are left
  // alone.
  bool NeedsListing() const;
  void RequestListing();

  // Replaces the list of live files that earlier calls have built.
  void ReplaceListing(const LiveSsts& listing);

  // The database has replaced the files `replaced` by the files `installed`. A
  // file in both lists is live.
  void AddChanges(const std::vector<std::string>& replaced,
                  const std::vector<std::string>& installed);

  // The database has deleted this SST file. Returns true if earlier calls say
  // that the file is live: then this object was not told of some changes.
  bool AddDeletion(uint64_t number);

  // Waits until the work of all earlier calls is done.
  void Wait();

  FilterDbExportCounts counts() const;

  // Counts and logs a failure.
  void Fail(const char* error, uint64_t failures = 1);

  // From now on logs failures to `info_log` or, if that is null, to stderr.
  void SetLog(std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log);
  bool HasLog() const;

  // Forgets the log and requests a listing.
  void DatabaseIsClosed();

 private:
  // The state that the folders should follow.
  struct Database {
    std::string name;  // As in LiveSsts::database.
    bool uses_default_file_system = true;
    std::map<uint64_t, std::string> live;  // Paths of SST files, by number.
    // Numbers of SST files deleted since the last TakeDatabase.
    std::set<uint64_t> deleted;
    bool folders_verified = false;  // If false, the folders may hold anything.
  };

  struct Folder {
    ExportTarget target;
    // The SST files that were handled since the last comparison with a listing,
    // by number: true if the file has a Filter.db. (One that cannot be exported
    // has none.)
    std::map<uint64_t, bool> has_filter;
  };

  static LiveSsts FilesWithoutFilter(const Database& database,
                                     const Folder& folder,
                                     const ExportFolder& out);

  bool MayWait() const;
  void Run();
  bool FollowAll();
  Database TakeDatabase();
  bool FollowAndCount(const Database& database, Folder* folder);
  bool UpdateFolder(const Database& database, Folder* folder,
                    FilterDbExportReport* report, std::string* error);
  void Count(const FilterDbExportReport& report);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Database database_;
  bool needs_listing_ = true;
  bool has_work_ = false;
  bool working_ = false;
  bool stop_ = false;
  std::chrono::steady_clock::time_point wait_until_;  // Set with `stop_`.
  uint64_t finished_ = 0;
  FilterDbExportCounts counts_;
  std::thread thread_;

  std::vector<Folder> folders_;  // Used only by `thread_`.

  mutable std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
