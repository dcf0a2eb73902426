// SPDX-License-Identifier: Apache-2.0

// Keeps folders of Filter.db files up to date with a running database.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_

#include <rocksdb/listener.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/export/target.h"
#include "plugin/export/worker.h"

namespace cassandra_bloom {

// Passes RocksDB's events to an ExportWorker. The functions for events may list
// the database's files, because RocksDB holds no mutex of its own when it sends
// these events (7.8, 9.10).
class FilterDbExportListener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // `id` comes from an options string. RocksDB passes the options that follow
  // it to ConfigureOptions.
  explicit FilterDbExportListener(const std::string& id);

  const char* Name() const override { return kExportListenerName; }

  // The id contains all settings, because OPTIONS files record nothing else of
  // a listener.
  std::string GetId() const override;

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

  // Returns an empty list until valid options are set.
  const std::vector<ExportTarget>& targets() const { return targets_; }

  // Returns null until valid options are set.
  ExportWorker* worker() const { return worker_.get(); }

 protected:
  // Refuses unknown options, because RocksDB would silently ignore them in
  // nested strings.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;

 private:
  using OptionMap = std::unordered_map<std::string, std::string>;

  ROCKSDB_NAMESPACE::Status Read(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const OptionMap& options);
  ROCKSDB_NAMESPACE::Status ReadOne(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::string& id, const OptionMap& options);
  void RunEvent(const std::function<void()>& handle_event);
  void OnFilesInstalled(ROCKSDB_NAMESPACE::DB* db,
                        const std::vector<std::string>& replaced,
                        const std::vector<std::string>& installed);
  bool Serves(const std::string& database);

  const std::string id_;
  ExportTarget settings_;  // The options that are being read.
  std::vector<ExportTarget> targets_;
  std::unique_ptr<ExportWorker> worker_;

  // Held while an event is handled, so that a listing reaches the worker before
  // any event that RocksDB sends after the listing was made.
  std::mutex mutex_;
  ROCKSDB_NAMESPACE::DB* db_ = nullptr;  // Null while the database is closed.
  std::string database_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
