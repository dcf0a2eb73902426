// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/listener.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <exception>
#include <set>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/reconcile.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::Status;

Status FilterDbExportListener::ConfigureOptions(
    const ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  std::string error;
  ExportTarget target;
  if (!options.empty()) {
    return Status::InvalidArgument(id_ +
                                   ": takes no options; the listener is " +
                                   ExportId({"/var/lib/filters", "nb"}));
  }
  if (worker_ != nullptr) {
    return Status::OK();
  }
  if (!ParseExportId(id_, &target, &error)) {
    return Status::InvalidArgument(id_ + ": " + error);
  }
  ExportOptions export_options;
  export_options.sstable_version = target.sstable_version;
  const auto plan = PlanExport(export_options, &error);
  if (!plan) {
    return Status::InvalidArgument(id_ + ": " + error);
  }
  worker_ = std::make_unique<ExportWorker>(target.out_dir, *plan);
  return Status::OK();
}

// Lets no exception escape into RocksDB.
void FilterDbExportListener::Tell(
    const std::function<void(ExportWorker*)>& event) {
  if (worker_ == nullptr) {
    return;  // The listener's id was refused.
  }
  try {
    event(worker_.get());
  } catch (const std::exception& exception) {
    worker_->Fail(exception.what());
  }
}

void FilterDbExportListener::OnChange(DB* db) {
  Tell([db](ExportWorker* worker) { worker->OnChange(db); });
}

void FilterDbExportListener::OnFilesChanged() {
  Tell([](ExportWorker* worker) { worker->OnFilesChanged(); });
}

void FilterDbExportListener::OnColumnFamilyHandleDeletionStarted(
    ColumnFamilyHandle* handle) {
  constexpr uint32_t kDefaultColumnFamily = 0;
  if (handle->GetID() == kDefaultColumnFamily) {
    Tell([](ExportWorker* worker) { worker->OnDatabaseMayClose(); });
  }
}

std::shared_ptr<EventListener> NewFilterDbExportListener(
    const std::string& out_dir, const std::string& sstable_version,
    std::string* error) {
  auto listener = std::make_shared<FilterDbExportListener>(
      ExportId({out_dir, sstable_version}));
  const Status status = listener->ConfigureFromMap(ConfigOptions(), {});
  if (!status.ok()) {
    *error = status.getState();
    return nullptr;
  }
  return listener;
}

bool ReconcileFilterDbExports(DB* db, const std::string& out_dir,
                              const std::string& sstable_version,
                              FilterDbExportReport* report,
                              std::string* error) {
  *report = {};
  ExportOptions options;
  options.sstable_version = sstable_version;
  const auto plan = PlanExport(options, error);
  if (!plan) {
    return false;
  }
  const ListSsts list = [db](LiveSsts* live, std::string*) {
    *live = LiveSstsOf(db);
    return true;
  };
  std::set<std::string> unreadable;
  return Reconcile(*plan, out_dir, list, NeverStop, &unreadable, report, error);
}

bool GetFilterDbExportCounts(const EventListener& listener,
                             FilterDbExportCounts* counts) {
  if (listener.Name() != kExportListenerName) {
    return false;
  }
  const ExportWorker* const worker =
      static_cast<const FilterDbExportListener&>(listener).worker();
  *counts = worker == nullptr ? FilterDbExportCounts() : worker->counts();
  return true;
}

}  // namespace cassandra_bloom
