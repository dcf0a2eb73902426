// SPDX-License-Identifier: Apache-2.0

// Keeps folders of Filter.db files up to date with a database, in a thread of
// its own.

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

  // Waits until all work is done, but only a limited time for a folder's lock.
  ~ExportWorker();

  // Returns true if the worker needs a listing of all live files. This is so at
  // the beginning and after a failure. Until the listing comes, AddChanges and
  // AddDeletion add no work, because a comparison with the listing will find
  // the changes.
  bool NeedsListing() const;
  void RequestListing();

  // Replaces the list of live files. If NeedsListing was true, the thread then
  // compares the export folders with this list.
  void ReplaceListing(const LiveSsts& listing);

  // Says that the database has replaced the SST files `replaced` by
  // `installed`. A file in both lists is live.
  void AddChanges(const std::vector<std::string>& replaced,
                  const std::vector<std::string>& installed);

  // Says that the database has deleted this SST file. Returns true if the
  // worker's list still contained the file as live.
  bool AddDeletion(uint64_t number);

  // Waits until the work of all earlier calls is done.
  void Wait();

  FilterDbExportCounts counts() const;

  void Fail(const char* error, uint64_t failures = 1);

  // Fail logs to `info_log` from now on or, if it is null, to stderr.
  void SetLog(std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log);
  bool HasLog() const;

  void DatabaseIsClosed();

 private:
  // What the thread has to do. Each value includes the work of the values
  // before it.
  enum class Work {
    kNothing,
    kUpdate,      // Make new filters, remove those of deleted SST files.
    kComparison,  // Also check every file that the folders hold.
  };

  // The state that the folders should have, and the work that is to be done.
  struct Database {
    std::string name;  // LiveSsts::database of the latest listing.
    bool uses_default_file_system = true;
    std::map<uint64_t, std::string> live;  // Paths of SST files, by number.
    // The work and the deleted SST files since the latest call of TakeDatabase.
    Work pending = Work::kNothing;
    std::set<uint64_t> deleted;
  };

  struct Folder {
    ExportTarget target;
    // The SST files that were handled since the latest comparison. Key: the
    // file's number. Value: false if the file cannot be exported.
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
  uint64_t calls_ = 0;  // How many calls have added work.
  uint64_t done_ = 0;   // For how many of these calls the work is done.
  // Set by the destructor. The thread then ends when no work is pending, and
  // waits for locks only until this time.
  std::optional<std::chrono::steady_clock::time_point> closing_deadline_;
  FilterDbExportCounts counts_;
  std::thread thread_;

  std::vector<Folder> folders_;  // Used only by `thread_`.

  mutable std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_WORKER_H_
