// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/listener.h"

#include <rocksdb/convenience.h>

#include <exception>
#include <string_view>

#include "plugin/export/sst_reader.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::ExternalFileIngestionInfo;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;
using ROCKSDB_NAMESPACE::TableFileDeletionInfo;

namespace {

constexpr char kUsage[] =
    "the listener is cassandra_bloom_export(nb,/var/lib/filters), with an "
    "SSTable version and a path of letters, digits and /._- (a symbolic link "
    "may lead to the folder)";

// Other bytes have a meaning in options strings.
constexpr char kPathBytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

// Does not check the version.
bool ParseId(std::string_view id, std::string* version, std::string* out_dir) {
  const std::string begin = std::string(kExportListenerName) + "(";
  const size_t joined = id.find(":" + begin);
  if (id.substr(0, begin.size()) != begin && joined != std::string_view::npos) {
    id.remove_prefix(joined + 1);
  }
  const size_t comma = id.find(',');
  const size_t end = id.find(')');
  if (id.substr(0, begin.size()) != begin || end == std::string_view::npos ||
      comma > end || id.substr(end + 1, 1).find_first_not_of(':') == 0) {
    return false;
  }
  *version = id.substr(begin.size(), comma - begin.size());
  *out_dir = id.substr(comma + 1, end - comma - 1);
  return !out_dir->empty() &&
         out_dir->find_first_not_of(kPathBytes) == std::string::npos;
}

}  // namespace

Status FilterDbExportListener::ConfigureOptions(
    const ConfigOptions& /*config_options*/,
    const std::unordered_map<std::string, std::string>& options,
    std::unordered_map<std::string, std::string>* /*unused*/) {
  if (folder_ && options.empty()) {
    return Status::OK();
  }
  std::string error;
  std::string out_dir;
  FolderSettings settings;
  if (!options.empty()) {
    error = std::string("takes no options; ") + kUsage;
  } else if (!ParseId(id_, &settings.sstable_version, &out_dir)) {
    error = std::string("is unknown; ") + kUsage;
  } else if (const auto form =
                 FormOfExports(settings.sstable_version, &error)) {
    if (*form != kBeforeMa) {
      form_ = *form;
      folder_.emplace(out_dir, settings);
      return Status::OK();
    }
    error = "filter blocks cannot be copied for SSTable version '" +
            settings.sstable_version +
            "', in which every key has other bits; `sst_filters export` builds "
            "such filters from the keys";
  }
  return Status::InvalidArgument(id_ + ": " + error);
}

// Lets no exception escape into RocksDB.
template <typename Work>
void FilterDbExportListener::Do(const Work& work) {
  try {
    if (folder_) {
      work();
    }
  } catch (const std::exception& exception) {
    Fail(exception.what());
  }
}

// Allocates no memory, because there may be none.
void FilterDbExportListener::Fail(const char* error) {
  // A failure that goes on is said once, for example that a disk is full.
  if (!has_failed_.exchange(true)) {
    Say(error);
  }
  // Counts last, so that a program that sees the count finds the reason in the
  // LOG.
  ++failed_;
}

void FilterDbExportListener::Say(const char* text) {
  std::shared_ptr<Logger> log;
  {
    const std::lock_guard<std::mutex> lock(log_mutex_);
    log = log_.lock();
  }
  ReportError(log.get(), "%s: %s", kExportListenerName, text);
}

void FilterDbExportListener::SeeLogOf(DB* db) {
  Do([&] {
    const std::shared_ptr<Logger> log = db->GetDBOptions().info_log;
    const std::lock_guard<std::mutex> lock(log_mutex_);
    log_ = log;
  });
}

void FilterDbExportListener::OnTableFileCreated(
    const TableFileCreationInfo& info) {
  Do([&] {
    if (!info.status.ok()) {
      return;
    }
    if (FileExists(info.file_path)) {
      Export(info.db_name, info.file_path);
    } else {
      Fail((info.file_path + ": is no local file, so it is not exported")
               .c_str());
    }
  });
}

void FilterDbExportListener::OnExternalFileIngested(
    DB* db, const ExternalFileIngestionInfo& info) {
  SeeLogOf(db);
  Do([&] { Export(db->GetName(), info.internal_file_path); });
}

void FilterDbExportListener::OnTableFileDeleted(
    const TableFileDeletionInfo& info) {
  Do([&] {
    if (!info.status.ok() || folder_->Owner() != DatabaseOf(info.db_name)) {
      return;
    }
    const uint64_t number = NumberOfSst(info.file_path);
    const bool is_there = NameExists(folder_->FilterDbOf(number));
    std::string error;
    if (!folder_->Remove(number, &error)) {
      Fail(error.c_str());
    } else if (is_there) {
      ++removed_;
    }
  });
}

void FilterDbExportListener::Export(const std::string& db_name,
                                    const std::string& sst) {
  const auto copy_block = [&](const std::string& filter_db,
                              std::string* error) {
    return CopyBlock(sst, filter_db, error);
  };
  std::string error;
  const ExportResult result =
      folder_->Claim(DatabaseOf(db_name), &error)
          ? folder_->Renew(NumberOfSst(sst), sst, copy_block, &error)
          : ExportResult::kCannotWrite;
  if (result == ExportResult::kDone) {
    has_failed_ = false;
    ++exported_;
  } else if (result == ExportResult::kNoBlock) {
    if (!has_said_no_block_.exchange(true)) {
      Say((sst + ": is not exported, because " + error +
           ". `sst_filters export` makes its Filter.db, and those of other "
           "files without such a filter, which are not named here")
              .c_str());
    }
  } else if (result != ExportResult::kGone) {
    Fail(error.c_str());
  }
}

ExportResult FilterDbExportListener::CopyBlock(const std::string& sst_file,
                                               const std::string& filter_db,
                                               std::string* error) const {
  const auto sst = SstReader::Open(sst_file, error);
  if (sst == nullptr) {
    return ExportResult::kCannotRead;
  }
  ParsedFilter filter;
  *error = sst->FindBlock(
      sst->partition_key().value_or(PartitionKeyExtractor()), &filter);
  if (!error->empty()) {
    return ExportResult::kNoBlock;
  }
  return WriteFilter(filter, form_, filter_db, error);
}

std::shared_ptr<EventListener> NewFilterDbExportListener(
    const std::string& out_dir, const std::string& sstable_version,
    std::string* error) {
  auto listener = std::make_shared<FilterDbExportListener>(
      std::string(kExportListenerName) + "(" + sstable_version + "," + out_dir +
      ")");
  const Status status = listener->ConfigureFromMap(ConfigOptions(), {});
  if (!status.ok()) {
    *error = status.getState();
    return nullptr;
  }
  return listener;
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
