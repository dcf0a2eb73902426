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
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "plugin/export/target.h"
#include "plugin/export/worker.h"

namespace cassandra_bloom {

// Hands RocksDB's events over to an ExportWorker. RocksDB holds no mutex of its
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
  void OnCompactionBegin(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnCompactionCompleted(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::CompactionJobInfo& info) override;
  void OnExternalFileIngested(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) override;
  void OnTableFileCreated(
      const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) override;
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
  void Guard(const std::function<void()>& handle_event);
  void Installed(ROCKSDB_NAMESPACE::DB* db,
                 const std::vector<std::string>& new_ssts);
  bool Serves(const std::string& database);
  void List();

  const std::string id_;
  ExportTarget settings_;  // Of the options that are being read.
  std::vector<ExportTarget> targets_;
  std::unique_ptr<ExportWorker> worker_;

  // Held from a listing until it is handed over: what an event tells that comes
  // after it is newer.
  std::mutex mutex_;
  ROCKSDB_NAMESPACE::DB* db_ = nullptr;  // While it is open.
  std::string database_;
  std::set<int> compactions_;
  // SST files of compactions without events (DB::CompactFiles), which may not
  // be live yet.
  std::set<uint64_t> unannounced_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
