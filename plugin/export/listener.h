// SPDX-License-Identifier: Apache-2.0

// Keeps a folder of Filter.db files up to date with a running database.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_

#include <rocksdb/listener.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugin/export/export_names.h"
#include "plugin/export/worker.h"

namespace cassandra_bloom {

// Tells an ExportWorker of RocksDB's events.
class FilterDbExportListener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // `id` comes from an options string, or is an ExportId.
  explicit FilterDbExportListener(std::string id) : id_(std::move(id)) {}

  const char* Name() const override { return kExportListenerName; }
  std::string GetId() const override { return id_; }

  // These events carry a DB*. RocksDB holds no mutex when it sends them.
  void OnFlushBegin(ROCKSDB_NAMESPACE::DB* db,
                    const ROCKSDB_NAMESPACE::FlushJobInfo& /*info*/) override {
    OnChange(db);
  }
  void OnFlushCompleted(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::FlushJobInfo& /*info*/) override {
    OnChange(db);
  }
  void OnCompactionBegin(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::CompactionJobInfo& /*info*/) override {
    OnChange(db);
  }
  void OnCompactionCompleted(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::CompactionJobInfo& /*info*/) override {
    OnChange(db);
  }
  void OnExternalFileIngested(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& /*info*/) override {
    OnChange(db);
  }

  // These carry none. The first may come before RocksDB has installed the file.
  void OnTableFileCreated(
      const ROCKSDB_NAMESPACE::TableFileCreationInfo& /*info*/) override {
    OnFilesChanged();
  }
  void OnTableFileDeleted(
      const ROCKSDB_NAMESPACE::TableFileDeletionInfo& /*info*/) override {
    OnFilesChanged();
  }

  // Comes when a database closes, and also when a program deletes a handle of
  // the default column family, as DB::Open itself may do.
  void OnColumnFamilyHandleDeletionStarted(
      ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle) override;

  // Returns null until the id was found to be valid.
  ExportWorker* worker() const { return worker_.get(); }

 protected:
  // Parses the id. RocksDB calls neither PrepareOptions nor ValidateOptions of
  // a listener. Refuses all options, because RocksDB would silently ignore
  // them in nested strings.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;

 private:
  void OnChange(ROCKSDB_NAMESPACE::DB* db);
  void OnFilesChanged();
  void Tell(const std::function<void(ExportWorker*)>& event);

  const std::string id_;
  std::unique_ptr<ExportWorker> worker_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
