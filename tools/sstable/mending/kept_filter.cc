// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/mending/kept_filter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// Cassandra allocates no filter with more words (OffHeapBitSet).
constexpr uint64_t kMaxFilterSize = 8 + (uint64_t{8} << 31);

constexpr char kRemedy[] =
    "; the old filter and its record would be kept there. Move what is there "
    "away, or give another --backup-dir, or --no-backup";

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

std::unique_ptr<KeptFilter> KeptFilter::Open(const Sstable& sstable,
                                             const PinnedFolder& folder,
                                             const BackupPlan& backup,
                                             BetweenPieces between_pieces,
                                             std::string* error) {
  std::unique_ptr<KeptFilter> kept(
      new KeptFilter(sstable, folder, std::move(between_pieces)));
  if (backup.kind == Backup::kBeside) {
    kept->place_ = &folder;
    kept->name_ = kept->FilterName() + kBackupSuffix;
    kept->path_ = sstable.folder + "/" + kept->name_;
    return kept;
  }
  std::string path;
  if (!BackupFolderOf(sstable.folder, backup.folder, &path, error)) {
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

bool KeptFilter::HasFilter() const {
  std::string ignored_error;
  return folder_.KindOf(FilterName(), nullptr, &ignored_error) !=
         PinnedFolder::Kind::kNone;
}

bool KeptFilter::ReadRecord(std::string* error) {
  std::string text;
  std::string why;
  if (place_->KindOf(RecordName(), nullptr, error) ==
          PinnedFolder::Kind::kRefused ||
      !place_->Read(RecordName(), kMaxRecordSize, &text, error)) {
    return false;
  }
  if (!ParseMendRecord(text, &record_, &why)) {
    *error = path_ + kRecordSuffix + ": " + why;
    return false;
  }
  return true;
}

bool KeptFilter::SumIndex(const std::vector<FileSum>& wanted, FileSum* sum,
                          std::string* error) const {
  return folder_.Sum(sstable_.IndexName(), wanted, between_pieces_, sum, error);
}

bool KeptFilter::IsOfThisSstable(std::string* reason) const {
  FileSum sum;
  if (!SumIndex({record_.index}, &sum, reason)) {
    return false;
  }
  if (!(sum == record_.index)) {
    *reason = path_ + kRecordSuffix + ": is of another SSTable of this name";
    return false;
  }
  return true;
}

bool KeptFilter::HasOldFilter(bool has_kept, std::string* reason) const {
  FileSum sum;
  const bool is_there = has_kept || HasFilter();
  if (is_there &&
      !(has_kept ? *place_ : folder_)
           .Sum(has_kept ? name_ : FilterName(), {record_.old_filter},
                between_pieces_, &sum, reason)) {
    return false;
  }
  if (is_there && sum == record_.old_filter) {
    return true;
  }
  *reason = has_kept ? path_ + ": is not the filter that its record names"
                     : path_ + kRecordSuffix + ": its backup " + path_ +
                           " is missing";
  return false;
}

KeptFilter::State KeptFilter::Look(std::string* reason) {
  // Another mend may have created the folder since.
  if (place_ == nullptr && !OpenBackupFolder(reason)) {
    return state_ = State::kNotOurs;
  }
  state_ = State::kNotOurs;
  const auto kind = place_ == nullptr ? PinnedFolder::Kind::kNone
                                      : place_->KindOf(name_, nullptr, reason);
  if (kind == PinnedFolder::Kind::kRefused) {
    return state_;
  }
  const bool has_kept = kind == PinnedFolder::Kind::kFile;
  const State ours = has_kept ? State::kKept : State::kNothing;
  if (HasRecord()) {
    if (ReadRecord(reason) && IsOfThisSstable(reason) &&
        HasOldFilter(has_kept, reason)) {
      state_ = ours;
    }
  } else if (has_kept) {
    *reason = path_ +
              ": no mend has recorded this file (there is no ….record "
              "beside it)";
  } else {
    state_ = ours;
  }
  return state_;
}

bool KeptFilter::IsSmallEnough(std::string* reason) const {
  const uint64_t size = folder_.SizeOf(FilterName());
  if (size > kMaxFilterSize) {
    *reason = sstable_.Path("Filter.db") + ": has " + std::to_string(size) +
              " bytes, more than a filter can have, and is not kept; move it "
              "away, or give --no-backup";
  }
  return size <= kMaxFilterSize;
}

bool KeptFilter::IsRecorded(FileSum* now, std::string* reason) const {
  std::vector<FileSum> recorded = record_.new_filters;
  recorded.push_back(record_.old_filter);
  if (!folder_.Sum(FilterName(), recorded, between_pieces_, now, reason)) {
    return false;
  }
  if (std::find(recorded.begin(), recorded.end(), *now) == recorded.end()) {
    *reason = sstable_.Path("Filter.db") +
              ": has changed since it was mended, and the old filter is " +
              path_;
    return false;
  }
  return true;
}

bool KeptFilter::MayReplace(std::string* reason) {
  const State state = Look(reason);
  if (!HasFilter()) {
    return true;  // Nothing is to be kept of it.
  }
  if (state == State::kNothing) {
    return IsSmallEnough(reason);
  }
  FileSum ignored_sum;
  if (state == State::kKept && IsRecorded(&ignored_sum, reason)) {
    return true;
  }
  *reason += kRemedy;
  return false;
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
             ? folder_.Replace(RecordName(), sstable_.name_prefix + "Data.db",
                               ContentOf(text),
                               /*before_naming=*/nullptr, error)
             : place_->Write(RecordName(), /*overwrite=*/true, ContentOf(text),
                             error);
}

bool KeptFilter::KeepFilterInPlace(std::string* error) const {
  if (place_ == &folder_) {
    return folder_.AddName(FilterName(), name_, error);
  }
  FileSum ignored_sum;
  return place_->Write(
      name_, /*overwrite=*/false,
      folder_.ContentOf(FilterName(), between_pieces_, &ignored_sum), error);
}

bool KeptFilter::CreateBackupFolder(std::string* error) {
  return CreateFolders(fs::path(path_).parent_path().string(), error) &&
         OpenBackupFolder(error) && place_ != nullptr;
}

bool KeptFilter::Keep(const FileSum& new_filter, std::string* error) {
  const bool has_filter = HasFilter();
  const bool is_kept = state_ == State::kKept;
  if (!has_filter && !is_kept) {
    return true;
  }
  FileSum now;
  if (is_kept) {
    if (has_filter && !IsRecorded(&now, error)) {
      return false;
    }
  } else {
    record_ = {};
    if (!folder_.Sum(FilterName(), {}, between_pieces_, &now, error) ||
        !SumIndex({}, &record_.index, error)) {
      return false;
    }
    record_.old_filter = now;
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
  FileSum sum;
  return folder_.Replace(
      FilterName(), FilterName(),
      place_->ContentOf(name_, between_pieces_, &sum),
      [&](std::string* why) {
        if (sum == record_.old_filter) {
          return true;
        }
        *why = path_ + ": has changed meanwhile";
        return false;
      },
      error);
}

bool KeptFilter::PutBack(std::string* reason, std::string* error) {
  FileSum now;
  if (!IsRecorded(&now, reason)) {
    return false;
  }
  const bool is_old = now == record_.old_filter;
  const bool is_done =
      place_ == &folder_
          ? folder_.Rename(name_, FilterName(), error)
          : (is_old || CopyBack(error)) && place_->Remove(name_, error);
  return is_done && place_->Remove(RecordName(), error);
}

void KeptFilter::RemoveRecordOfNothing() {
  if (HasRecord()) {
    std::string ignored_error;
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
