// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "plugin/io/file_io.h"
#include "plugin/io/output_file.h"
#include "plugin/io/temporary_file.h"

namespace cassandra_bloom {

namespace fs = std::filesystem;

namespace {

bool IsRegularFile(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool IsDatabaseFolder(const fs::path& folder) {
  std::ifstream current(folder / "CURRENT");
  std::string line;
  return std::getline(current, line) && line.rfind("MANIFEST-", 0) == 0;
}

std::string DatabaseFolderAbove(const std::string& path) {
  std::error_code ignored;
  fs::path folder = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  for (;; folder = folder.parent_path()) {
    if (IsDatabaseFolder(folder)) {
      return folder;
    }
    if (folder == folder.parent_path()) {
      return "";
    }
  }
}

bool IsOutsideDatabases(const std::string& folder, std::string* error) {
  if (folder.empty()) {
    *error = "the folder to export to has no name";
    return false;
  }
  const std::string database = DatabaseFolderAbove(folder);
  if (!database.empty()) {
    *error = folder + ": is in the folder of a database, " + database +
             ", where nothing is written; choose another";
  }
  return database.empty();
}

// Returns true if the folder holds no SSTable. Also returns true, and sets
// `*failure`, if the folder cannot be read.
bool HoldsNoSstable(const std::string& folder, std::error_code* failure,
                    std::string* error) {
  const std::vector<std::string> data =
      NamesIn(folder, IsNamedAsSstable, failure);
  if (!data.empty()) {
    *error = folder + ": holds SSTables of Cassandra, such as " + data.front() +
             ", and making the folder follow a database would remove their "
             "filters; choose another";
  }
  return data.empty();
}

// Removes from the mark each filter of this SSTable version whose number is not
// in `live`.
void ForgetOthers(const std::set<uint64_t>& live, const std::string& version,
                  FolderMark* mark) {
  auto& filters = mark->filters;
  for (auto filter = filters.begin(); filter != filters.end();) {
    const auto number = NumberOfFilterDb(filter->first, version);
    filter = number && live.count(*number) == 0 ? filters.erase(filter)
                                                : std::next(filter);
  }
}

}  // namespace

bool IsGoodExportSetting(const std::string& folder, std::string* error) {
  if (!IsOutsideDatabases(folder, error)) {
    return false;
  }
  std::error_code failure;
  if (fs::exists(folder, failure) && !fs::is_directory(folder, failure)) {
    *error = folder + ": is no folder, and cannot be created";
    return false;
  }
  return HoldsNoSstable(folder, &failure, error);
}

bool PrepareExportFolder(const std::string& folder, std::string* error) {
  if (!IsOutsideDatabases(folder, error)) {
    return false;
  }
  std::error_code failure;
  fs::create_directory(folder, failure);
  if (failure) {
    *error =
        folder + ": is no folder, and cannot be created: " + failure.message();
    return false;
  }
  if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    *error =
        folder + ": cannot be read and written to: " + std::strerror(errno);
    return false;
  }
  return true;
}

bool CheckHoldsNoSstables(const std::string& folder, std::string* error) {
  std::error_code failure;
  if (!HoldsNoSstable(folder, &failure, error)) {
    return false;
  }
  if (failure) {
    *error = folder + ": cannot be read: " + failure.message();
  }
  return !failure;
}

bool MayBeOfExport(const std::string& path, std::string* error) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    return true;
  }
  *error = path + ": is " + NameOfFileType(status.st_mode) +
           ", none of the export's own files, and is left alone; remove it, or "
           "choose another folder";
  return false;
}

std::string FilterDbIn(const std::string& folder,
                       const std::string& sstable_version) {
  std::error_code ignored;
  const std::vector<std::string> names = NamesIn(
      folder,
      [&](const std::string& name) {
        return NumberOfFilterDb(name, sstable_version) &&
               IsRegularFile(folder + "/" + name);
      },
      &ignored);
  return names.empty() ? "" : *std::min_element(names.begin(), names.end());
}

std::unique_ptr<ExportFolder> ExportFolder::Open(
    const std::string& path, const std::string& sstable_version, bool sync,
    const std::function<bool()>& may_wait, std::string* error) {
  if (!PrepareExportFolder(path, error) ||
      (sync && !CheckHoldsNoSstables(path, error))) {
    return nullptr;
  }
  std::unique_ptr<ExportFolder> folder(
      new ExportFolder(path, sstable_version, may_wait));
  if (!folder->lock_.may_write()) {
    *error =
        path +
        ": somebody else holds its lock (flock), and the database is being "
        "closed: what changed last is made up for after the next open";
    return nullptr;
  }
  return folder;
}

std::string ExportFolder::FilterDbOf(uint64_t number) const {
  return path_ + "/" + FilterDbName(version_, number);
}

bool ExportFolder::HasFilter(uint64_t number) const {
  std::error_code ignored;
  return fs::exists(FilterDbOf(number), ignored);
}

void ExportFolder::RemoveLeftOvers() const {
  RemoveLeftOversIn(path_, [&](const std::string& name) {
    return IsTemporaryName(name, version_);
  });
}

// Sets `*is_new` to true if `claim` is allowed, but the folder does not yet
// have the mark file for it.
bool ExportFolder::CheckMark(const Claim& claim, bool* is_new,
                             std::string* error) {
  if (!MayBeOfExport(FolderMarkPath(path_), error)) {
    return false;
  }
  mark_ = ReadFolderMark(path_);
  if (mark_ && !IsMarkOf(*mark_, claim.database)) {
    *error = path_ + ": holds the filters of another database, " +
             mark_->database + "; choose another, or, if it shall be that of " +
             claim.database + ", remove " + FolderMarkPath(path_) +
             " and take it over (filterdb export --sync --force)";
    return false;
  }
  return CheckContents(claim, is_new, error);
}

bool ExportFolder::CheckContents(const Claim& claim, bool* is_new,
                                 std::string* error) const {
  *is_new = true;
  if (!mark_ || !SpeaksFor(*mark_, version_)) {
    const std::string found = FilterDbIn(path_, version_);
    if (!found.empty() && !claim.overwrite) {
      *error = path_ + ": has filters that no export recorded as its own, " +
               "such as " + found +
               ", and making the folder follow a database would remove or "
               "replace them; choose another folder, or take this one over "
               "(filterdb export --sync --force)";
      return false;
    }
    return true;
  }
  if (mark_->contents.empty()) {
    return true;
  }
  const FilterContents& held = mark_->contents.at(version_);
  const FilterContents& wanted = claim.contents;
  const bool as_asked = held.asked == wanted.asked;
  *is_new = !as_asked || held.extractors != wanted.extractors;
  if (!as_asked && !claim.overwrite &&
      std::any_of(claim.live.begin(), claim.live.end(),
                  [&](uint64_t number) { return HasFilter(number); })) {
    *error = path_ + ": holds filters made with " + held.asked +
             ", which cannot be kept among those with " + wanted.asked +
             ", as they hold other entries; choose another folder, or have all "
             "made anew (filterdb export --sync --force)";
    return false;
  }
  return true;
}

bool ExportFolder::ClaimFor(const Claim& claim,
                            std::vector<std::string>* removed,
                            std::string* error) {
  bool is_new = false;
  if (!CheckMark(claim, &is_new, error)) {
    return false;
  }
  if (!is_new) {
    return ForgetOldFilters(claim, error);
  }
  if (!RemoveAll(claim.live, removed, error)) {
    return false;
  }
  FolderMark mark = mark_.value_or(FolderMark());
  mark.database = claim.database;
  mark.contents[version_] = claim.contents;
  ForgetOthers({}, version_, &mark);
  const bool overwrite = mark_.has_value();
  mark_ = mark;
  return WriteFolderMark(path_, mark, overwrite, error);
}

bool ExportFolder::IsStillClaimed(const Claim& claim, std::string* error) {
  bool is_new = false;
  if (!CheckMark(claim, &is_new, error)) {
    return false;
  }
  if (is_new) {
    *error = path_ + ": is no longer marked as that of " + claim.database +
             "; it is compared with the database at the next flush, "
             "compaction or ingestion";
    return false;
  }
  return ForgetOldFilters(claim, error);
}

// Exports append lines to the mark file. If most of its lines are out of date,
// writes the file anew.
bool ExportFolder::ForgetOldFilters(const Claim& claim, std::string* error) {
  constexpr size_t kManyLines = 1000;
  if (mark_->num_filter_lines < 2 * claim.live.size() + kManyLines) {
    return true;
  }
  FolderMark mark = *mark_;
  ForgetOthers(claim.live, version_, &mark);
  return mark.filters.size() + kManyLines > mark_->num_filter_lines ||
         WriteFolderMark(path_, mark, /*overwrite=*/true, error);
}

bool ExportFolder::Record(uint64_t number, const std::string& sst,
                          std::string* error) const {
  const auto written = TimeWritten(FilterDbOf(number));
  // Records nothing if somebody has removed the filter, so that the next export
  // makes the filter anew.
  return !written || AppendToFolderMark(path_, FilterDbName(version_, number),
                                        {sst, *written}, error);
}

bool ExportFolder::RemoveAll(const std::set<uint64_t>& live,
                             std::vector<std::string>* removed,
                             std::string* error) const {
  std::string left_alone;
  if (!RemoveStrays(live, removed, &left_alone, error)) {
    return false;
  }
  for (const uint64_t number : live) {
    // Skips a path that is not a regular file. The export of its SST file will
    // report the error.
    std::vector<std::string> replaced;
    if (MayBeOfExport(FilterDbOf(number), &left_alone) &&
        !Remove(number, &replaced, error)) {
      return false;
    }
  }
  return true;
}

bool ExportFolder::Remove(uint64_t number, std::vector<std::string>* removed,
                          std::string* error) const {
  const std::string path = FilterDbOf(number);
  if (!MayBeOfExport(path, error)) {
    return false;
  }
  std::error_code failure;
  if (fs::remove(path, failure)) {
    removed->push_back(path);
  }
  if (failure) {
    *error = path + ": cannot be removed: " + failure.message();
  }
  return !failure;
}

bool ExportFolder::RemoveOthers(const std::set<uint64_t>& live,
                                std::vector<std::string>* removed,
                                std::string* error) const {
  std::string left_alone;
  if (!RemoveStrays(live, removed, &left_alone, error)) {
    return false;
  }
  if (!left_alone.empty()) {
    *error = left_alone;
  }
  return left_alone.empty();
}

// Removes the filters whose number is not in `live`. Keeps anything that is not
// a regular file, and describes it in `*left_alone`.
bool ExportFolder::RemoveStrays(const std::set<uint64_t>& live,
                                std::vector<std::string>* removed,
                                std::string* left_alone,
                                std::string* error) const {
  std::error_code failure;
  const std::vector<std::string> strays = NamesIn(
      path_,
      [&](const std::string& name) {
        const auto number = NumberOfFilterDb(name, version_);
        return number && live.count(*number) == 0;
      },
      &failure);
  for (const std::string& name : strays) {
    const fs::path stray = fs::path(path_) / name;
    if (MayBeOfExport(stray, left_alone) && !failure &&
        fs::remove(stray, failure)) {
      removed->push_back(stray);
    }
  }
  if (failure) {
    *error = path_ +
             ": cannot be cleared of filters of SST files that are no "
             "more: " +
             failure.message();
  }
  return !failure;
}

}  // namespace cassandra_bloom
