// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/kept_filter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "filterdb/mending/digests.h"
#include "filterdb/mending/mend_outcome.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// In bytes: the header, and 2^31 words of 8 bytes. Cassandra allocates no
// filter with so many words (OffHeapBitSet).
constexpr uint64_t kMaxFilterSize = 8 + (uint64_t{8} << 31);

constexpr char kRemedy[] =
    "; the old filter and its record would be kept there. Move what is there "
    "away, or give another --backup-dir, or --no-backup";

// Returns the folder below `backup_folder` that holds the backups of `folder`.
std::string BackupFolderOf(const std::string& folder,
                           const std::string& backup_folder) {
  std::error_code failure;
  const fs::path absolute = fs::canonical(folder, failure);
  if (failure) {
    throw FileError{folder + ": cannot open: " + failure.message()};
  }
  return (backup_folder / absolute.relative_path()).string();
}

bool Has(const std::vector<FileSum>& sums, const FileSum& wanted) {
  return std::find(sums.begin(), sums.end(), wanted) != sums.end();
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
  } else {
    name_ = filter_name_;
    path_ = BackupFolderOf(sstable.folder, backup.folder) + "/" + name_;
    OpenBackupFolder(/*must_exist=*/false);
  }
}

std::string KeptFilter::Folder() const {
  return fs::path(path_).parent_path().string();
}

void KeptFilter::OpenBackupFolder(bool must_exist) {
  const std::string path = Folder();
  if (!must_exist && access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return;
  }
  backup_folder_.emplace(path);
  if (backup_folder_->IsSameAs(folder_)) {
    throw FileError{
        path +
        ": is the folder of the SSTable itself; give another --backup-dir"};
  }
  place_ = &*backup_folder_;
}

MendRecord KeptFilter::ReadRecord() const {
  MendRecord record;
  std::string error;
  place_->HasFile(RecordName());
  if (!ParseMendRecord(place_->Read(RecordName(), kMaxRecordSize), &record,
                       &error)) {
    throw FileError{path_ + kRecordSuffix + ": " + error};
  }
  return record;
}

void KeptFilter::CheckSstable(const MendRecord& record) const {
  if (!(folder_.Sum(sstable_.IndexName(), {record.index}, between_pieces_) ==
        record.index)) {
    throw FileError{path_ + kRecordSuffix +
                    ": is of another SSTable of this name"};
  }
}

void KeptFilter::CheckOldFilter(const MendRecord& record, bool is_kept) const {
  const PinnedFolder& folder = is_kept ? *place_ : folder_;
  const std::string& name = is_kept ? name_ : filter_name_;
  if ((is_kept || folder.HasName(name)) &&
      folder.Sum(name, {record.old_filter}, between_pieces_) ==
          record.old_filter) {
    return;
  }
  throw FileError{is_kept ? path_ + ": is not the filter that its record names"
                          : path_ + kRecordSuffix + ": its backup " + path_ +
                                " is missing"};
}

void KeptFilter::LookAt(Kept* kept) {
  // Another mend may have created the folder since this object was made.
  if (place_ == nullptr) {
    OpenBackupFolder(/*must_exist=*/false);
  }
  if (place_ == nullptr) {
    return;
  }
  kept->has_record = place_->HasName(RecordName());
  const bool is_kept = place_->HasFile(name_);
  if (kept->has_record) {
    kept->record = ReadRecord();
    CheckSstable(kept->record);
    CheckOldFilter(kept->record, is_kept);
  } else if (is_kept) {
    throw FileError{path_ +
                    ": no mend has recorded this file (there is no ….record "
                    "beside it)"};
  }
  kept->state = is_kept ? Kept::kFilter : Kept::kNothing;
}

Kept KeptFilter::Look() {
  Kept kept;
  try {
    LookAt(&kept);
  } catch (const FileError& error) {
    kept.state = Kept::kNotOurs;
    kept.reason = error.text;
  }
  return kept;
}

FileSum KeptFilter::SumOfRecorded(const MendRecord& record) const {
  std::vector<FileSum> recorded = record.new_filters;
  recorded.push_back(record.old_filter);
  const FileSum now = folder_.Sum(filter_name_, recorded, between_pieces_);
  if (!Has(recorded, now)) {
    throw FileError{sstable_.Path("Filter.db") +
                    ": has changed since it was mended, and the old filter "
                    "is " +
                    path_};
  }
  return now;
}

std::string KeptFilter::ReasonNotToReplace(const Kept& kept) const {
  if (!folder_.HasName(filter_name_)) {
    return "";  // There is no filter to keep.
  }
  if (kept.state == Kept::kNotOurs) {
    return kept.reason + kRemedy;
  }
  if (kept.state == Kept::kFilter) {
    try {
      SumOfRecorded(kept.record);
    } catch (const FileError& error) {
      return error.text + kRemedy;
    }
    return "";
  }
  const uint64_t size = folder_.SizeOf(filter_name_);
  if (size > kMaxFilterSize) {
    return sstable_.Path("Filter.db") + ": has " + std::to_string(size) +
           " bytes, more than a filter can have, and is not kept; move it "
           "away, or give --no-backup";
  }
  return "";
}

std::string KeptFilter::ReasonNotWritable() const {
  return place_ != nullptr ? place_->ReasonNotWritable()
                           : ReasonNotToCreateIn(Folder());
}

void KeptFilter::WriteRecord(const MendRecord& record) const {
  const std::string text = FormatMendRecord(record);
  if (is_beside()) {
    folder_.Replace(RecordName(), sstable_.name_prefix + "Data.db",
                    ContentOf(text), /*before_naming=*/nullptr);
  } else {
    place_->Write(RecordName(), /*overwrite=*/true, ContentOf(text));
  }
}

void KeptFilter::Keep(Kept kept, const FileSum& new_filter) {
  const bool has_filter = folder_.HasName(filter_name_);
  const bool is_kept = kept.state == Kept::kFilter;
  if (!has_filter && !is_kept) {
    return;
  }
  MendRecord& record = kept.record;
  const auto digest = FilterDigest(sstable_, folder_);
  FileSum now;
  if (!is_kept) {
    now = folder_.Sum(filter_name_, {}, between_pieces_);
    record = {folder_.Sum(sstable_.IndexName(), {}, between_pieces_),
              now,
              {},
              digest};
  } else if (has_filter) {
    now = SumOfRecorded(record);
  }
  // PutBack fails if the record does not name the present filter and the filter
  // whose digest is in Scylla.db. So if earlier mends have built these two
  // filters, they stay in the record.
  std::vector<FileSum> new_filters = {new_filter};
  for (const FileSum& earlier : record.new_filters) {
    const bool is_present = has_filter && earlier == now;
    if ((is_present || earlier.crc == digest) && !Has(new_filters, earlier)) {
      new_filters.push_back(earlier);
    }
  }
  record.new_filters = new_filters;
  if (place_ == nullptr) {
    CreateFolders(Folder());
    OpenBackupFolder(/*must_exist=*/true);
  }
  WriteRecord(record);
  if (is_kept) {
    return;
  }
  if (is_beside()) {
    folder_.AddName(filter_name_, name_);
  } else {
    FileSum ignored_sum;
    place_->Write(
        name_, /*overwrite=*/false,
        folder_.ContentOf(filter_name_, between_pieces_, &ignored_sum));
  }
}

void KeptFilter::CopyBack(const MendRecord& record) const {
  FileSum sum;
  folder_.Replace(filter_name_, filter_name_,
                  place_->ContentOf(name_, between_pieces_, &sum), [&] {
                    if (!(sum == record.old_filter)) {
                      throw FileError{path_ + ": has changed meanwhile"};
                    }
                    PutDigestBack(sstable_, folder_, record);
                  });
}

void KeptFilter::PutBack(const Kept& kept) const {
  FileSum now;
  try {
    now = SumOfRecorded(kept.record);
  } catch (const FileError& error) {
    Leave(error.text);
  }
  if (is_beside() || now == kept.record.old_filter) {
    PutDigestBack(sstable_, folder_, kept.record);
  } else {
    CopyBack(kept.record);
  }
  if (is_beside()) {
    folder_.Rename(name_, filter_name_);
  } else {
    place_->Remove(name_);
  }
  place_->Remove(RecordName());
}

void KeptFilter::RemoveRecordOfNothing(const Kept& kept) const {
  if (kept.has_record) {
    try {
      place_->Remove(RecordName());
    } catch (const FileError&) {
      // A record without a backup does no harm.
    }
  }
}

void KeptFilter::RemoveLeftOvers(const std::string& folder,
                                 const BackupPlan& backup) {
  if (backup.kind == Backup::kFolder) {
    try {
      PinnedFolder::RemoveLeftOvers(BackupFolderOf(folder, backup.folder));
    } catch (const FileError&) {
      // `folder` cannot be found, so it has no backups.
    }
  }
}

}  // namespace cassandra_bloom::tools
