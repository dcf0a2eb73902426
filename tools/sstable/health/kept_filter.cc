// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/kept_filter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

WriteContent ContentOf(const std::string& bytes) {
  return [&bytes](const Append& append) {
    return append(bytes.data(), bytes.size());
  };
}

// Where the filters of an SSTable folder are kept below the folder of backups.
bool BackupFolderOf(const std::string& folder, const std::string& backup_folder,
                    std::string* path, std::string* error) {
  std::error_code failure;
  const fs::path absolute = fs::canonical(folder, failure);
  if (failure) {
    *error = folder + ": cannot open: " + failure.message();
    return false;
  }
  *path = (backup_folder / absolute.relative_path()).string();
  return true;
}

}  // namespace

std::unique_ptr<KeptFilter> KeptFilter::Open(const SstableFiles& files,
                                             const PinnedFolder& folder,
                                             const BackupPlan& backup,
                                             std::string* error) {
  std::unique_ptr<KeptFilter> kept(new KeptFilter(files, folder));
  if (backup.kind == Backup::kBeside) {
    kept->place_ = &folder;
    kept->name_ = kept->FilterName() + kBackupSuffix;
    kept->path_ = files.folder + "/" + kept->name_;
    return kept;
  }
  std::string path;
  if (!BackupFolderOf(files.folder, backup.folder, &path, error)) {
    return nullptr;
  }
  kept->name_ = kept->FilterName();
  kept->path_ = path + "/" + kept->name_;
  return kept->OpenBackupFolder(error) ? std::move(kept) : nullptr;
}

bool KeptFilter::OpenBackupFolder(std::string* error) {
  const std::string path = fs::path(path_).parent_path().string();
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return true;
  }
  backup_folder_ = PinnedFolder::Open(path, error);
  place_ = backup_folder_.get();
  if (place_ == nullptr) {
    return false;
  }
  if (place_->IsSameAs(folder_)) {
    *error = path +
             ": is the folder of the SSTable itself; give another --backup-dir";
    return false;
  }
  return true;
}

bool KeptFilter::HasRecord() const {
  std::string ignored_error;
  return place_ != nullptr &&
         place_->KindOf(RecordName(), nullptr, &ignored_error) !=
             PinnedFolder::Kind::kNone;
}

bool KeptFilter::ReadRecord(std::string* error) {
  std::string text;
  std::string why;
  if (!place_->Read(RecordName(), kMaxRecordSize, &text, error)) {
    return false;
  }
  if (!ParseMendRecord(text, &record_, &why)) {
    *error = path_ + kRecordSuffix + ": " + why;
    return false;
  }
  return true;
}

bool KeptFilter::IsOfThisSstable(std::string* reason) const {
  FileSum sum;
  if (!folder_.Sum(files_.sstable + "Data.db", SumOver::kEnds, &sum, reason)) {
    return false;
  }
  if (!(sum == record_.data)) {
    *reason = path_ + ": is the filter of another SSTable of this name";
    return false;
  }
  if (!place_->Sum(name_, SumOver::kAll, &sum, reason)) {
    return false;
  }
  if (!(sum == record_.old_filter)) {
    *reason = path_ + ": is not the filter that its record names";
    return false;
  }
  return true;
}

KeptFilter::State KeptFilter::Look(std::string* reason) {
  // Another mend may have created the folder since.
  if (place_ == nullptr && !OpenBackupFolder(reason)) {
    return state_ = State::kNotOurs;
  }
  state_ = State::kNothing;
  const auto kind = place_ == nullptr ? PinnedFolder::Kind::kNone
                                      : place_->KindOf(name_, nullptr, reason);
  if (kind == PinnedFolder::Kind::kNone) {
    return state_;
  }
  state_ = State::kNotOurs;
  if (kind == PinnedFolder::Kind::kRefused) {
    return state_;
  }
  if (!HasRecord()) {
    *reason = path_ +
              ": no mend has recorded this file (there is no ….record "
              "beside it)";
    return state_;
  }
  if (ReadRecord(reason) && IsOfThisSstable(reason)) {
    state_ = State::kKept;
  }
  return state_;
}

bool KeptFilter::IsWritable(std::string* error) const {
  return place_ != nullptr
             ? place_->IsWritable(error)
             : CanCreateIn(fs::path(path_).parent_path().string(), error);
}

// Beside the SSTable, the record has the owner and the mode of its files:
// Cassandra takes the record for one of them, and links all of them into
// snapshots (SSTableReader.createLinks). A user may link only files of its own
// (fs.protected_hardlinks in proc_sys_fs(5)).
bool KeptFilter::WriteRecord(std::string* error) const {
  const std::string text = FormatMendRecord(record_);
  return place_ == &folder_
             ? folder_.Replace(
                   RecordName(), files_.sstable + "Data.db", ContentOf(text),
                   [](std::string*) { return true; }, error)
             : place_->Write(RecordName(), /*overwrite=*/true, ContentOf(text),
                             error);
}

bool KeptFilter::KeepFilterInPlace(std::string* error) const {
  if (place_ == &folder_) {
    return folder_.AddName(FilterName(), name_, error);
  }
  std::string bytes;
  return folder_.Read(FilterName(), UINT64_MAX, &bytes, error) &&
         place_->Write(name_, /*overwrite=*/false, ContentOf(bytes), error);
}

bool KeptFilter::CreateBackupFolder(std::string* error) {
  const std::string path = fs::path(path_).parent_path().string();
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) {
    *error = path + ": cannot create the folder: " + failure.message();
    return false;
  }
  return OpenBackupFolder(error) && place_ != nullptr;
}

bool KeptFilter::Keep(const FileSum& new_filter, std::string* error) {
  std::string ignored_error;
  const bool has_filter =
      folder_.KindOf(FilterName(), nullptr, &ignored_error) !=
      PinnedFolder::Kind::kNone;
  if (!has_filter && state_ != State::kKept) {
    return true;
  }
  FileSum now;
  if (has_filter && !folder_.Sum(FilterName(), SumOver::kAll, &now, error)) {
    return false;
  }
  const bool is_kept = state_ == State::kKept;
  if (!is_kept) {
    record_ = {};
    record_.old_filter = now;
    if (!folder_.Sum(files_.sstable + "Data.db", SumOver::kEnds, &record_.data,
                     error)) {
      return false;
    }
  }
  // Until the new filter is in place, the one that is there now must be known,
  // too, if it is an earlier mend's.
  const auto& known = record_.new_filters;
  const bool is_known =
      has_filter && std::find(known.begin(), known.end(), now) != known.end();
  record_.new_filters = {new_filter};
  if (is_known && !(now == new_filter)) {
    record_.new_filters.push_back(now);
  }
  return (place_ != nullptr || CreateBackupFolder(error)) &&
         WriteRecord(error) && (is_kept || KeepFilterInPlace(error));
}

bool KeptFilter::CopyBack(std::string* error) const {
  std::string bytes;
  if (!place_->Read(name_, UINT64_MAX, &bytes, error)) {
    return false;
  }
  if (!(SumOf(ContentOf(bytes)) == record_.old_filter)) {
    *error = path_ + ": has changed meanwhile";
    return false;
  }
  return folder_.Replace(
      FilterName(), FilterName(), ContentOf(bytes),
      [](std::string*) { return true; }, error);
}

bool KeptFilter::PutBack(std::string* reason, std::string* error) {
  FileSum now;
  if (!folder_.Sum(FilterName(), SumOver::kAll, &now, reason)) {
    return false;
  }
  const auto& filters = record_.new_filters;
  const bool is_old = now == record_.old_filter;
  if (!is_old &&
      std::find(filters.begin(), filters.end(), now) == filters.end()) {
    *reason = files_.Path("Filter.db") +
              ": has changed since it was mended, and the old filter is " +
              path_;
    return false;
  }
  const bool is_done =
      place_ == &folder_
          ? folder_.Rename(name_, FilterName(), error)
          : (is_old || CopyBack(error)) && place_->Remove(name_, error);
  return is_done && place_->Remove(RecordName(), error);
}

void KeptFilter::RemoveRecordOfNothing() {
  std::string ignored_error;
  if (Look(&ignored_error) == State::kNothing && HasRecord() &&
      ReadRecord(&ignored_error)) {
    place_->Remove(RecordName(), &ignored_error);
  }
}

void KeptFilter::RemoveLeftOvers(const std::string& folder,
                                 const BackupPlan& backup) {
  std::string path;
  std::string ignored_error;
  if (backup.kind != Backup::kFolder ||
      !BackupFolderOf(folder, backup.folder, &path, &ignored_error)) {
    return;
  }
  const auto place = PinnedFolder::Open(path, &ignored_error);
  if (place != nullptr) {
    place->RemoveLeftOvers();
  }
}

}  // namespace cassandra_bloom::tools
