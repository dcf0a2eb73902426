// SPDX-License-Identifier: Apache-2.0

// Keeps folders of Filter.db files up to date with a database, in a thread of
// its own. Calls tell it what has changed in the database.

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
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/export/folder/folder.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/sst_exporter.h"
#include "plugin/export/target.h"

namespace cassandra_bloom {

// Safe for concurrent use, but changes must be added in the order in which they
// happened.
class ExportWorker {
 public:
  explicit ExportWorker(const std::vector<ExportTarget>& targets);

  // Waits until all work is done. For a lock that another export holds, waits
  // only a limited time.
  ~ExportWorker();

  // True if the folders must be compared with a listing of all live files, as
  // at first and after something went wrong. Until the listing comes, changes
  // and deletions add no work, because the comparison will find them.
  bool NeedsListing() const;
  void RequestListing();

  // Replaces the list of live files. If a listing was needed, compares the
  // folders with it.
  void ReplaceListing(const LiveSsts& listing);

  // The database has replaced the files `replaced` by the files `installed`. A
  // file in both lists is live.
  void AddChanges(const std::vector<std::string>& replaced,
                  const std::vector<std::string>& installed);

  // The database has deleted this SST file. Returns true if the file was live
  // according to earlier calls: then this object was not told of some changes.
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
  // What the thread has to do to all folders. Each value includes the work of
  // the values before it.
  enum class Work {
    kNothing,
    kUpdate,      // Make new filters, remove those of deleted SST files.
    kComparison,  // The folders may hold anything: verify all they hold, too.
  };

  // The state that the folders should follow.
  struct Database {
    std::string name;  // As in LiveSsts::database.
    bool uses_default_file_system = true;
    std::map<uint64_t, std::string> live;  // Paths of SST files, by number.
    // What is to be done since the latest TakeDatabase, and the numbers of the
    // SST files deleted since then.
    Work pending = Work::kNothing;
    std::set<uint64_t> deleted;
  };

  struct Folder {
    ExportTarget target;
    // Key: number of an SST file handled since the latest comparison with a
    // listing. True if it has a Filter.db, false if it cannot be exported.
    std::map<uint64_t, bool> has_filter;
  };

  static LiveSsts FilesWithoutFilter(const Database& database,
                                     const Folder& folder,
                                     const ExportFolder& out);

  void Add(Work work);
  bool MayWait() const;
  void Run();
  bool UpdateAllFolders();
  Database TakeDatabase();
  bool UpdateAndCount(const Database& database, Folder* folder);
  bool UpdateFolder(const Database& database, Folder* folder,
                    FilterDbExportReport* report, std::string* error);
  static bool MakeFilters(const ExportPlan& plan, const ExportFolder& out,
                          const LiveSsts& without_filter, Folder* folder,
                          FilterDbExportReport* report);
  void Count(const FilterDbExportReport& report);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Database database_;
  bool needs_listing_ = true;
  uint64_t calls_ = 0;  // How many calls have added work,
  uint64_t done_ = 0;   // and of how many of them the work is done.
  // Set when the database is closing. The thread then ends when nothing is
  // pending, and waits for locks no longer than until this time.
  std::optional<std::chrono::steady_clock::time_point> closing_deadline_;
  FilterDbExportCounts counts_;
  std::thread thread_;

  std::vector<Folder> folders_;  // Used only by `thread_`.

  mutable std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
