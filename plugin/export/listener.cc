// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/listener.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_type.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "plugin/export/database_exporter.h"
#include "plugin/export/folder/folder.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::ExternalFileIngestionInfo;
using ROCKSDB_NAMESPACE::FlushJobInfo;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFileDeletionInfo;

namespace {

constexpr char kOutDir[] = "out_dir";
constexpr char kSstableVersion[] = "sstable_version";

// Returns true if IsGoodExportSetting accepts the folder now, or has accepted
// it earlier in this process. An earlier answer stays valid, because RocksDB
// reads each OPTIONS file back after writing it. If the listener refused its
// folder at that time, no option of the running database could be changed.
bool IsOrWasUsable(const std::string& folder, std::string* error) {
  static std::mutex mutex;
  static auto* const usable = new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (usable->count(folder) > 0) {
    return true;
  }
  if (!IsGoodExportSetting(folder, error)) {
    return false;
  }
  usable->insert(folder);
  return true;
}

// RocksDB calls neither PrepareOptions nor ValidateOptions of a listener, so
// the options are checked here.
bool IsGood(const ExportTarget& target, std::string* error) {
  if (target.out_dir.empty()) {
    *error = "out_dir, the folder to export to, is not given";
    return false;
  }
  if (target.sstable_version.empty()) {
    *error = "sstable_version, such as nb, is not given";
    return false;
  }
  return IsNameableVersion(target.sstable_version, error) &&
         IsOrWasUsable(target.out_dir, error);
}

}  // namespace

FilterDbExportListener::FilterDbExportListener(const std::string& id)
    : id_(id) {
  // RocksDB does not write these options to OPTIONS files, because the
  // listener's id contains them.
  static const std::unordered_map<std::string, OptionTypeInfo> kOptions = {
      {kOutDir,
       {offsetof(ExportTarget, out_dir), OptionType::kString,
        OptionVerificationType::kNormal, OptionTypeFlags::kDontSerialize}},
      {kSstableVersion,
       {offsetof(ExportTarget, sstable_version), OptionType::kString,
        OptionVerificationType::kNormal, OptionTypeFlags::kDontSerialize}}};
  RegisterOptions(kExportListenerName, &settings_, &kOptions);
}

std::string FilterDbExportListener::GetId() const {
  return targets_.empty() ? id_ : ExportId(targets_);
}

Status FilterDbExportListener::ConfigureOptions(
    const ConfigOptions& config_options,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  if (worker_ != nullptr) {
    return options.empty()
               ? Status::OK()
               : Status::InvalidArgument(
                     id_ + ": cannot be changed; create another listener");
  }
  const Status status = Read(config_options, options);
  if (status.ok()) {
    worker_ = std::make_unique<ExportWorker>(targets_);
  }
  return status;
}

// RocksDB may have joined several listeners into one id. Reads those of this
// class, and ignores all others.
Status FilterDbExportListener::Read(const ConfigOptions& config_options,
                                    const OptionMap& options) {
  std::vector<std::string> listeners;
  std::string error;
  if (!SplitListeners(id_, &listeners, &error)) {
    return Status::InvalidArgument(id_ + ": " + error);
  }
  for (const std::string& listener : listeners) {
    OptionMap its_options = listeners.size() == 1 ? options : OptionMap();
    std::string id = listener;
    if (id.rfind(kPolicyName, 0) != 0 && id.find('=') != std::string::npos &&
        ROCKSDB_NAMESPACE::StringToMap(listener, &its_options).ok()) {
      id = its_options["id"];
      its_options.erase("id");
    }
    if (id.rfind(kPolicyName, 0) == 0) {
      const Status status = ReadOne(config_options, id, its_options);
      if (!status.ok()) {
        return status;
      }
    }
  }
  // If no listener was read, for example because the id is in quotes, ReadOne
  // returns the error.
  return targets_.empty() ? ReadOne(config_options, id_, options)
                          : Status::OK();
}

Status FilterDbExportListener::ReadOne(const ConfigOptions& config_options,
                                       const std::string& id,
                                       const OptionMap& options) {
  std::string error;
  settings_ = {};
  if (id == kExportListenerName) {
    for (const auto& option : options) {
      if (option.first != kOutDir && option.first != kSstableVersion) {
        return Status::InvalidArgument(id + ": has no option '" + option.first +
                                       "'; it has out_dir and sstable_version");
      }
    }
    const Status status =
        EventListener::ConfigureOptions(config_options, options, nullptr);
    if (!status.ok()) {
      return status;
    }
  } else if (ParseExportId(id, &settings_, &error) && !options.empty()) {
    error = "takes no options beside those in its id";
  }
  if (!error.empty() || !IsGood(settings_, &error)) {
    return Status::InvalidArgument(id + ": " + error);
  }
  const bool is_repeated =
      std::any_of(targets_.begin(), targets_.end(), [&](const auto& target) {
        return target.out_dir == settings_.out_dir &&
               target.sstable_version == settings_.sstable_version;
      });
  // The same target may come twice, because a program may add a listener that
  // RocksDB has also read from the OPTIONS file.
  if (!is_repeated) {
    targets_.push_back(settings_);
  }
  return Status::OK();
}

void FilterDbExportListener::OnFlushCompleted(DB* db,
                                              const FlushJobInfo& info) {
  OnFilesInstalled(db, {}, {info.file_path});
}

void FilterDbExportListener::OnCompactionCompleted(
    DB* db, const CompactionJobInfo& info) {
  if (info.status.ok()) {
    OnFilesInstalled(db, info.input_files, info.output_files);
  }
}

void FilterDbExportListener::OnExternalFileIngested(
    DB* db, const ExternalFileIngestionInfo& info) {
  OnFilesInstalled(db, {}, {info.internal_file_path});
}

void FilterDbExportListener::OnTableFileDeleted(
    const TableFileDeletionInfo& info) {
  RunEvent([&] {
    const auto number = NumberOfSst(info.file_path);
    if (!number || info.db_name != database_) {
      return;
    }
    // If the worker's list still contained the file as live, the worker has
    // missed a change. RocksDB may also have added files without an event
    // (DB::CompactFiles). So all files are listed. This is not done at every
    // event, because a listing of 10,000 files takes 6 ms or more, during which
    // RocksDB's mutex is locked.
    if (worker_->AddDeletion(*number) && db_ != nullptr) {
      worker_->ReplaceListing(LiveSstsOf(db_));
    }
  });
}

void FilterDbExportListener::OnColumnFamilyHandleDeletionStarted(
    ColumnFamilyHandle* handle) {
  constexpr uint32_t kDefaultColumnFamily = 0;
  if (handle->GetID() == kDefaultColumnFamily) {
    // The database may be closing. RocksDB then sends no event until the
    // database is open again.
    RunEvent([&] {
      db_ = nullptr;
      database_.clear();
      worker_->DatabaseIsClosed();
    });
  }
}

// Runs `handle_event`. Lets no exception escape into RocksDB.
void FilterDbExportListener::RunEvent(
    const std::function<void()>& handle_event) {
  if (worker_ == nullptr) {
    return;  // The listener's options were refused.
  }
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    handle_event();
  } catch (const std::exception& exception) {
    worker_->RequestListing();
    worker_->Fail(exception.what());
  }
}

void FilterDbExportListener::OnFilesInstalled(
    DB* db, const std::vector<std::string>& replaced,
    const std::vector<std::string>& installed) {
  RunEvent([&] {
    if (!Serves(db->GetName())) {
      return;
    }
    db_ = db;
    if (!worker_->HasLog()) {
      worker_->SetLog(db->GetDBOptions().info_log);
    }
    if (worker_->NeedsListing()) {
      worker_->ReplaceListing(LiveSstsOf(db));
    } else {
      worker_->AddChanges(replaced, installed);
    }
  });
}

bool FilterDbExportListener::Serves(const std::string& database) {
  if (database_.empty()) {
    database_ = database;
  }
  if (database_ != database) {
    worker_->Fail((database +
                   ": needs a listener of its own, as this one "
                   "serves " +
                   database_)
                      .c_str());
  }
  return database_ == database;
}

std::shared_ptr<EventListener> NewFilterDbExportListener(
    const std::string& out_dir, const std::string& sstable_version,
    std::string* error) {
  FilterDbExportOptions options;
  options.sstable_version = sstable_version;
  if (!PlanExport(options, error)) {
    return nullptr;
  }
  ConfigOptions config;
  config.input_strings_escaped = false;
  auto listener = std::make_shared<FilterDbExportListener>(kExportListenerName);
  const Status status = listener->ConfigureFromMap(
      config, {{kOutDir, out_dir}, {kSstableVersion, sstable_version}});
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
  for (const auto& listener : db->GetDBOptions().listeners) {
    if (listener->Name() == kExportListenerName) {
      // The worker is null if the listener's options were refused.
      if (ExportWorker* const worker =
              static_cast<FilterDbExportListener*>(listener.get())->worker()) {
        worker->Wait();
      }
    }
  }
  FilterDbExportOptions options;
  options.sstable_version = sstable_version;
  const auto list = [db](LiveSsts* live, std::string*) {
    *live = LiveSstsOf(db);
    return true;
  };
  return ExportListedSsts(db->GetName(), list, out_dir, /*sync=*/true, options,
                          report, error);
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
