// The listener that keeps a folder of Filter.db files.

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_EXPORT_LISTENER_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_EXPORT_LISTENER_H_

#include <rocksdb/listener.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/rocksdb/live_ssts.h"
#include "plugin/rocksdb/policy_settings.h"

namespace cassandra_bloom {

// In options strings. One address: by it a listener of this very code is known.
inline constexpr char kExportListenerName[] = "cassandra_bloom_export";

class FilterDbExportListener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // For a string of an options string, whose options RocksDB gives to
  // ConfigureOptions.
  explicit FilterDbExportListener(const std::string& id);
  ~FilterDbExportListener() override;

  const char* Name() const override { return kExportListenerName; }

  void OnFlushCompleted(ROCKSDB_NAMESPACE::DB* db,
                        const ROCKSDB_NAMESPACE::FlushJobInfo& info) override;
  void OnCompactionCompleted(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnExternalFileIngested(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) override;
  void OnTableFileDeleted(
      const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) override;
  void OnColumnFamilyHandleDeletionStarted(
      ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) override;

  void WaitUntilIdle();
  FilterDbExportCounts counts() const;

 protected:
  // RocksDB would drop unknown options of nested strings in silence.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;

 private:
  struct Settings {
    std::string out_dir;
    std::string sstable_version;
  };

  // What is to be done: a listing, if there is one, and what came after it.
  struct Work {
    std::optional<LiveSsts> listing;
    // By number: the path of a new SST file, or nothing for a deleted one.
    std::map<uint64_t, std::string> changes;

    bool empty() const { return !listing && changes.empty(); }
  };

  ROCKSDB_NAMESPACE::Status Check() const;

  // On RocksDB's threads.
  void Guard(const std::function<void()>& handle_event);
  void HandOver(ROCKSDB_NAMESPACE::DB* db,
                const std::vector<std::string>& new_ssts);
  bool IsOurDatabase(const std::string& name);
  void KeepLog(ROCKSDB_NAMESPACE::DB* db);

  // On the listener's own.
  void RunWorker();
  void Perform(const Work& work);
  bool Follow(const Work& work, FilterDbExportReport* report,
              std::string* error) const;
  static LiveSsts NewestSsts(const Work& work);

  // On any.
  void Fail(const std::string& error, uint64_t failures);

  const std::string id_;
  Settings settings_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Work work_;
  bool list_again_ = true;
  bool working_ = false;
  bool stop_ = false;
  std::string database_;
  FilterDbExportCounts counts_;
  std::thread worker_;

  // The LOG must not be written to after the database has closed it.
  std::mutex log_mutex_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Logger> info_log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_EXPORT_LISTENER_H_
