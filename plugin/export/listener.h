// SPDX-License-Identifier: Apache-2.0

// The listener that keeps a folder of Filter.db files, or several where RocksDB
// makes one listener of several.

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

// Tells an ExportWorker of RocksDB's events. RocksDB holds no mutex of its
// own in any of them (7.8, 9.10), so that files can be listed there.
class FilterDbExportListener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // For a string of an options string, whose options RocksDB gives to
  // ConfigureOptions.
  explicit FilterDbExportListener(const std::string& id);

  const char* Name() const override { return kExportListenerName; }

  // All that OPTIONS files have of it.
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

  // None before there are good options.
  const std::vector<ExportTarget>& targets() const { return targets_; }

  // Null before there are good options.
  ExportWorker* worker() const { return worker_.get(); }

 protected:
  // RocksDB would drop unknown options of nested strings in silence.
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
  ExportTarget settings_;  // Of the options that are being read.
  std::vector<ExportTarget> targets_;
  std::unique_ptr<ExportWorker> worker_;

  // Held from a listing until the worker has it: what an event tells that comes
  // after it is newer.
  std::mutex mutex_;
  ROCKSDB_NAMESPACE::DB* db_ = nullptr;  // While it is open.
  std::string database_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
