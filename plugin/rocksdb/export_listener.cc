#include "plugin/rocksdb/export_listener.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_type.h>

#include <cstddef>
#include <exception>
#include <set>
#include <utility>

#include "plugin/rocksdb/database_exporter.h"
#include "plugin/rocksdb/export_folder.h"
#include "plugin/rocksdb/report.h"
#include "plugin/rocksdb/running_rocksdb.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::ExternalFileIngestionInfo;
using ROCKSDB_NAMESPACE::FlushJobInfo;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFileDeletionInfo;

namespace {

constexpr char kOutDir[] = "out_dir";
constexpr char kSstableVersion[] = "sstable_version";

}  // namespace

FilterDbExportListener::FilterDbExportListener(const std::string& id)
    : id_(id) {
  // To be written into OPTIONS files.
  static const std::unordered_map<std::string, OptionTypeInfo> kOptions = {
      {kOutDir, {offsetof(Settings, out_dir), OptionType::kString}},
      {kSstableVersion,
       {offsetof(Settings, sstable_version), OptionType::kString}}};
  RegisterOptions(kExportListenerName, &settings_, &kOptions);
}

FilterDbExportListener::~FilterDbExportListener() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) {
    worker_.join();
  }
}

// ---- Options ----

Status FilterDbExportListener::ConfigureOptions(
    const ConfigOptions& config_options,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* unused) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (worker_.joinable()) {
    return Status::InvalidArgument(
        id_ + ": is at work and cannot be changed; create another");
  }
  for (const auto& option : options) {
    if (option.first != kOutDir && option.first != kSstableVersion) {
      return Status::InvalidArgument(id_ + ": has no option '" + option.first +
                                     "'; it has out_dir and sstable_version");
    }
  }
  const Status status =
      EventListener::ConfigureOptions(config_options, options, unused);
  // RocksDB does not prepare listeners.
  return status.ok() ? Check() : status;
}

Status FilterDbExportListener::Check() const {
  std::string error;
  if (id_ != kExportListenerName) {
    error = "is unknown; the listener is " + std::string(kExportListenerName);
  } else if (settings_.out_dir.empty()) {
    error = "out_dir, the folder to export to, is not given";
  } else if (settings_.sstable_version.empty()) {
    error = "sstable_version, such as nb, is not given";
  } else if (IsNameableVersion(settings_.sstable_version, &error) &&
             IsUsableExportFolder(settings_.out_dir, &error) &&
             MayBeSynced(settings_.out_dir, &error)) {
    return Status::OK();
  }
  return Status::InvalidArgument(id_ + ": " + error);
}

// ---- Events ----

void FilterDbExportListener::OnFlushCompleted(DB* db,
                                              const FlushJobInfo& info) {
  HandOver(db, {info.file_path});
}

void FilterDbExportListener::OnCompactionCompleted(
    DB* db, const CompactionJobInfo& info) {
  if (info.status.ok()) {
    HandOver(db, info.output_files);
  }
}

void FilterDbExportListener::OnExternalFileIngested(
    DB* db, const ExternalFileIngestionInfo& info) {
  HandOver(db, {info.internal_file_path});
}

void FilterDbExportListener::OnTableFileDeleted(
    const TableFileDeletionInfo& info) {
  Guard([&] {
    const auto number = NumberOfSst(info.file_path);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (info.status.ok() && number && info.db_name == database_) {
      work_.changes[*number].clear();
      changed_.notify_all();
    }
  });
}

void FilterDbExportListener::OnColumnFamilyHandleDeletionStarted(
    ColumnFamilyHandle* handle) {
  constexpr uint32_t kDefaultColumnFamily = 0;
  if (handle->GetID() == kDefaultColumnFamily) {
    // The database may be being closed, and its LOG is next. What happens until
    // it is open again has no event.
    const std::lock_guard<std::mutex> log_lock(log_mutex_);
    info_log_.reset();
    const std::lock_guard<std::mutex> lock(mutex_);
    list_again_ = true;
  }
}

// RocksDB takes no exception.
void FilterDbExportListener::Guard(const std::function<void()>& handle_event) {
  try {
    handle_event();
  } catch (const std::exception& exception) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      list_again_ = true;
    }
    Fail(exception.what(), /*failures=*/1);
  }
}

void FilterDbExportListener::HandOver(
    DB* db, const std::vector<std::string>& new_ssts) {
  Guard([&] {
    if (!IsOurDatabase(db->GetName())) {
      return;
    }
    KeepLog(db);
    // Listing and events have to come in one order: what an event tells that
    // comes after a listing is newer. RocksDB has released its own mutex.
    const std::lock_guard<std::mutex> lock(mutex_);
    if (list_again_) {
      work_ = {LiveSstsOf(db), {}};
      list_again_ = false;
    }
    for (const std::string& path : new_ssts) {
      if (const auto number = NumberOfSst(path)) {
        work_.changes[*number] = path;
      }
    }
    if (!worker_.joinable()) {
      worker_ = std::thread([this] { RunWorker(); });
    }
    changed_.notify_all();
  });
}

bool FilterDbExportListener::IsOurDatabase(const std::string& name) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (database_.empty()) {
      database_ = name;
    }
    if (database_ == name) {
      return true;
    }
  }
  Fail(name + ": needs a listener of its own, as this one serves " + database_,
       /*failures=*/1);
  return false;
}

void FilterDbExportListener::KeepLog(DB* db) {
  const std::lock_guard<std::mutex> lock(log_mutex_);
  if (info_log_ == nullptr) {
    info_log_ = db->GetDBOptions().info_log;
  }
}

// ---- The work ----

void FilterDbExportListener::RunWorker() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !work_.empty(); });
    if (work_.empty()) {
      return;
    }
    const Work work = std::exchange(work_, {});
    working_ = true;
    lock.unlock();
    Guard([&] { Perform(work); });
    lock.lock();
    working_ = false;
    changed_.notify_all();
  }
}

void FilterDbExportListener::Perform(const Work& work) {
  FilterDbExportReport report;
  std::string folder_error;
  const bool folder_followed = Follow(work, &report, &folder_error);
  if (!folder_error.empty()) {
    report.errors.push_back(folder_error);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.exported += report.exported.size();
    counts_.removed += report.removed.size();
    list_again_ |= !folder_followed;
  }
  if (const size_t count = report.errors.size(); count > 0) {
    Fail(report.errors.front() +
             (count > 1 ? " (and " + std::to_string(count - 1) + " more)" : ""),
         count);
  }
}

// False if the folder is not as it should be, other than for SST files that
// cannot be exported.
bool FilterDbExportListener::Follow(const Work& work,
                                    FilterDbExportReport* report,
                                    std::string* error) const {
  const std::string& folder = settings_.out_dir;
  FilterDbExportOptions options;
  options.sstable_version = settings_.sstable_version;
  FilterForm form;
  if (!AreGoodExportOptions(options, &form, error) ||
      !PrepareExportFolder(folder, error) || !MayBeSynced(folder, error)) {
    return false;
  }
  const ExportFolderLock lock(folder);
  const LiveSsts live = NewestSsts(work);
  DatabaseExporter exporter(folder, /*sync=*/true, options, form, report);
  // A file that is gone already is no error: the event of that is on its way.
  exporter.Export(live);
  if (exporter.write_failed()) {
    return false;  // The report says why.
  }
  if (work.listing) {
    return RemoveOtherFilterDbs(folder, options.sstable_version,
                                NumbersOf(live), &report->removed, error);
  }
  for (const auto& [number, path] : work.changes) {
    if (path.empty() && !RemoveFilterDb(folder, options.sstable_version, number,
                                        &report->removed, error)) {
      return false;
    }
  }
  return true;
}

LiveSsts FilterDbExportListener::NewestSsts(const Work& work) {
  LiveSsts live;
  if (work.listing) {
    for (const LiveSst& file : work.listing->files) {
      if (work.changes.count(file.number) == 0) {
        live.files.push_back(file);
      }
    }
  }
  for (const auto& [number, path] : work.changes) {
    if (!path.empty()) {
      live.files.emplace_back();
      live.files.back().number = number;
      live.files.back().path = path;
    }
  }
  return live;
}

void FilterDbExportListener::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return !working_ && work_.empty(); });
}

FilterDbExportCounts FilterDbExportListener::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void FilterDbExportListener::Fail(const std::string& error, uint64_t failures) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.failed += failures;
  }
  const std::lock_guard<std::mutex> lock(log_mutex_);
  ReportError(info_log_.get(), "%s: %s", kExportListenerName, error.c_str());
}

// ---- Public functions ----

std::shared_ptr<EventListener> NewFilterDbExportListener(
    const std::string& out_dir, const std::string& sstable_version,
    std::string* error) {
  auto listener = std::make_shared<FilterDbExportListener>(kExportListenerName);
  FilterForm form;
  FilterDbExportOptions options;
  options.sstable_version = sstable_version;
  if (!AreGoodExportOptions(options, &form, error)) {
    return nullptr;
  }
  ConfigOptions config;
  config.input_strings_escaped = false;
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
      static_cast<FilterDbExportListener*>(listener.get())->WaitUntilIdle();
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
  *counts = static_cast<const FilterDbExportListener&>(listener).counts();
  return true;
}

}  // namespace cassandra_bloom
