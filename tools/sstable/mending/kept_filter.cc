// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/mending/kept_filter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

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

KeptFilter::KeptFilter(const Sstable& sstable, const PinnedFolder& folder,
                       const BackupPlan& backup, BetweenPieces between_pieces)
    : sstable_(sstable),
      folder_(folder),
      between_pieces_(std::move(between_pieces)),
      filter_name_(sstable.name_prefix + "Filter.db") {
  if (backup.kind == Backup::kBeside) {
    place_ = &folder;
    name_ = filter_name_ + kBackupSuffix;
    path_ = sstable.folder + "/" + name_;
    return;
  }
  std::string path;
  std::string error;
  name_ = filter_name_;
  if (!BackupFolderOf(sstable.folder, backup.folder, &path, &error)) {
    Fail(error);
  }
  path_ = path + "/" + name_;
  if (!OpenBackupFolder(&error)) {
    Fail(error);
  }
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

bool KeptFilter::HasFilter() const {
  std::string ignored_error;
  return folder_.KindOf(filter_name_, &ignored_error) !=
         PinnedFolder::Kind::kNone;
}

std::string KeptFilter::ReadRecord(MendRecord* record) const {
  std::string text;
  std::string error;
  if (place_->KindOf(RecordName(), &error) == PinnedFolder::Kind::kRefused ||
      !place_->Read(RecordName(), kMaxRecordSize, &text, &error)) {
    return error;
  }
  return ParseMendRecord(text, record, &error)
             ? ""
             : path_ + kRecordSuffix + ": " + error;
}

std::string KeptFilter::ReasonOfAnotherSstable(const MendRecord& record) const {
  FileSum sum;
  std::string error;
  if (!folder_.Sum(sstable_.IndexName(), {record.index}, between_pieces_, &sum,
                   &error)) {
    return error;
  }
  return sum == record.index
             ? ""
             : path_ + kRecordSuffix + ": is of another SSTable of this name";
}

// If nothing is kept yet, the old filter must still be in place.
std::string KeptFilter::ReasonWithoutOldFilter(const MendRecord& record,
                                               bool is_kept) const {
  FileSum sum;
  std::string error;
  const bool is_there = is_kept || HasFilter();
  if (is_there && !(is_kept ? *place_ : folder_)
                       .Sum(is_kept ? name_ : filter_name_, {record.old_filter},
                            between_pieces_, &sum, &error)) {
    return error;
  }
  if (is_there && sum == record.old_filter) {
    return "";
  }
  return is_kept
             ? path_ + ": is not the filter that its record names"
             : path_ + kRecordSuffix + ": its backup " + path_ + " is missing";
}

Kept KeptFilter::Look() {
  Kept kept;
  kept.state = Kept::kNotOurs;
  // Another mend may have created the folder since.
  if (place_ == nullptr && !OpenBackupFolder(&kept.reason)) {
    return kept;
  }
  if (place_ == nullptr) {
    kept.state = Kept::kNothing;
    return kept;
  }
  std::string ignored_error;
  kept.has_record =
      place_->KindOf(RecordName(), &ignored_error) != PinnedFolder::Kind::kNone;
  const auto kind = place_->KindOf(name_, &kept.reason);
  if (kind == PinnedFolder::Kind::kRefused) {
    return kept;
  }
  const bool is_kept = kind == PinnedFolder::Kind::kFile;
  if (kept.has_record) {
    kept.reason = ReadRecord(&kept.record);
    if (kept.reason.empty()) {
      kept.reason = ReasonOfAnotherSstable(kept.record);
    }
    if (kept.reason.empty()) {
      kept.reason = ReasonWithoutOldFilter(kept.record, is_kept);
    }
  } else if (is_kept) {
    kept.reason = path_ +
                  ": no mend has recorded this file (there is no ….record "
                  "beside it)";
  }
  if (kept.reason.empty()) {
    kept.state = is_kept ? Kept::kFilter : Kept::kNothing;
  }
  return kept;
}

std::string KeptFilter::ReasonOfSize() const {
  const uint64_t size = folder_.SizeOf(filter_name_);
  return size > kMaxFilterSize
             ? sstable_.Path("Filter.db") + ": has " + std::to_string(size) +
                   " bytes, more than a filter can have, and is not kept; move "
                   "it away, or give --no-backup"
             : "";
}

std::string KeptFilter::ReasonNotRecorded(const MendRecord& record,
                                          FileSum* now) const {
  std::vector<FileSum> recorded = record.new_filters;
  recorded.push_back(record.old_filter);
  std::string error;
  if (!folder_.Sum(filter_name_, recorded, between_pieces_, now, &error)) {
    return error;
  }
  return std::find(recorded.begin(), recorded.end(), *now) != recorded.end()
             ? ""
             : sstable_.Path("Filter.db") +
                   ": has changed since it was mended, and the old filter is " +
                   path_;
}

std::string KeptFilter::ReasonNotToReplace(const Kept& kept) const {
  if (!HasFilter()) {
    return "";  // Nothing is to be kept of it.
  }
  if (kept.state == Kept::kNothing) {
    return ReasonOfSize();
  }
  FileSum ignored_sum;
  const std::string reason = kept.state == Kept::kNotOurs
                                 ? kept.reason
                                 : ReasonNotRecorded(kept.record, &ignored_sum);
  return reason.empty() ? "" : reason + kRemedy;
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
void KeptFilter::WriteRecord(const MendRecord& record) const {
  const std::string text = FormatMendRecord(record);
  std::string error;
  if (!(is_beside() ? folder_.Replace(
                          RecordName(), sstable_.name_prefix + "Data.db",
                          ContentOf(text), /*before_naming=*/nullptr, &error)
                    : place_->Write(RecordName(), /*overwrite=*/true,
                                    ContentOf(text), &error))) {
    Fail(error);
  }
}

void KeptFilter::KeepFilterInPlace() const {
  FileSum ignored_sum;
  std::string error;
  if (!(is_beside()
            ? folder_.AddName(filter_name_, name_, &error)
            : place_->Write(name_, /*overwrite=*/false,
                            folder_.ContentOf(filter_name_, between_pieces_,
                                              &ignored_sum),
                            &error))) {
    Fail(error);
  }
}

void KeptFilter::Keep(Kept kept, const FileSum& new_filter) {
  const bool has_filter = HasFilter();
  const bool is_kept = kept.state == Kept::kFilter;
  if (!has_filter && !is_kept) {
    return;
  }
  MendRecord& record = kept.record;
  FileSum now;
  std::string error;
  if (!is_kept) {
    record = {};
    if (!folder_.Sum(filter_name_, {}, between_pieces_, &now, &error) ||
        !folder_.Sum(sstable_.IndexName(), {}, between_pieces_, &record.index,
                     &error)) {
      Fail(error);
    }
    record.old_filter = now;
  } else if (has_filter) {
    error = ReasonNotRecorded(record, &now);
    if (!error.empty()) {
      Fail(error);
    }
  }
  // Until the new filter is in place, the one that is there now must be known,
  // too, if it is an earlier mend's.
  const auto& known = record.new_filters;
  const bool is_known =
      has_filter && std::find(known.begin(), known.end(), now) != known.end();
  record.new_filters = {new_filter};
  if (is_known && !(now == new_filter)) {
    record.new_filters.push_back(now);
  }
  if (place_ == nullptr &&
      (!CreateFolders(fs::path(path_).parent_path().string(), &error) ||
       !OpenBackupFolder(&error) || place_ == nullptr)) {
    Fail(error);
  }
  WriteRecord(record);
  if (!is_kept) {
    KeepFilterInPlace();
  }
}

void KeptFilter::CopyBack(const FileSum& old_filter) const {
  FileSum sum;
  std::string error;
  if (!folder_.Replace(
          filter_name_, filter_name_,
          place_->ContentOf(name_, between_pieces_, &sum),
          [&] {
            if (!(sum == old_filter)) {
              Fail(path_ + ": has changed meanwhile");
            }
          },
          &error)) {
    Fail(error);
  }
}

void KeptFilter::PutBack(const Kept& kept) const {
  FileSum now;
  const std::string reason = ReasonNotRecorded(kept.record, &now);
  if (!reason.empty()) {
    Leave(reason);
  }
  std::string error;
  if (!is_beside() && !(now == kept.record.old_filter)) {
    CopyBack(kept.record.old_filter);
  }
  if (!(is_beside() ? folder_.Rename(name_, filter_name_, &error)
                    : place_->Remove(name_, &error)) ||
      !place_->Remove(RecordName(), &error)) {
    Fail(error);
  }
}

void KeptFilter::RemoveRecordOfNothing(const Kept& kept) const {
  std::string ignored_error;
  if (kept.has_record) {
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
