// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>

#include "plugin/io/output_file.h"
#include "plugin/io/temporary_file.h"

namespace cassandra_bloom {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kAfterNumber = "-big-Filter.db";
constexpr std::string_view kDataComponent = "-Data.db";
constexpr char kDatabaseMark[] = ".cassandra_bloom_database";

// Reads an unsigned number at the front of `*text` and removes it from there.
template <typename Number>
bool TakeNumber(std::string_view* text, Number* number) {
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc() || *number < 0) {
    return false;
  }
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return true;
}

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) {
    return false;
  }
  text->remove_prefix(prefix.size());
  return true;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

bool IsBefore(const timespec& a, const timespec& b) {
  return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

// Reads a name like "nb-123-big-Filter.db" at the front of `*name` and removes
// it from there.
bool TakeFilterDbName(std::string_view* name, const std::string& version,
                      uint64_t* number) {
  return TakePrefix(name, version + "-") && TakeNumber(name, number) &&
         TakePrefix(name, kAfterNumber);
}

bool IsTemporaryName(std::string_view name, const std::string& version) {
  uint64_t number;
  return (TakePrefix(&name, kDatabaseMark) ||
          TakeFilterDbName(&name, version, &number)) &&
         IsTemporarySuffix(name);
}

// True if `name` is the name of a Filter.db whose SST file is not in `live`.
bool IsOfNoneOf(const std::set<uint64_t>& live, const std::string& name,
                const std::string& version) {
  std::string_view rest = name;
  uint64_t number;
  // An export never writes a name with leading zeros, such as "nb-007-...".
  return TakeFilterDbName(&rest, version, &number) &&
         name == FilterDbName(version, number) && live.count(number) == 0;
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

// Returns true also if the folder cannot be read; `*failure` is then set.
bool HoldsNoSstable(const std::string& folder, std::error_code* failure,
                    std::string* error) {
  const std::vector<std::string> data = NamesIn(
      folder,
      [](const std::string& name) { return EndsWith(name, kDataComponent); },
      failure);
  if (!data.empty()) {
    *error = folder + ": holds SSTables of Cassandra, such as " + data.front() +
             ", and making the folder follow a database would remove their "
             "filters; choose another";
  }
  return data.empty();
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string FilterDbName(const std::string& sstable_version, uint64_t number) {
  return (sstable_version + "-" + std::to_string(number)).append(kAfterNumber);
}

std::optional<uint64_t> NumberOfSst(const std::string& path) {
  std::string_view name = path;
  name.remove_prefix(name.find_last_of('/') + 1);
  uint64_t number;
  if (!TakeNumber(&name, &number) || name != ".sst") {
    return std::nullopt;
  }
  return number;
}

bool IsNameableVersion(const std::string& sstable_version, std::string* error) {
  FilterForm form;
  if (!FormOfSstableVersion(sstable_version, &form, error)) {
    return false;
  }
  if (sstable_version == FormName(form)) {
    *error = "'" + sstable_version +
             "' is a form, but the names of the files need an SSTable version, "
             "such as nb";
    return false;
  }
  return true;
}

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

std::string FolderMarkPath(const std::string& folder) {
  return folder + "/" + kDatabaseMark;
}

std::optional<FolderMark> ReadFolderMark(const std::string& folder) {
  const std::string path = FolderMarkPath(folder);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return std::nullopt;
  }
  std::ifstream file(path);
  FolderMark mark;
  std::getline(file, mark.database);
  FilterContents contents;
  while (std::getline(file, contents.sstable_version, '\t') &&
         std::getline(file, contents.asked, '\t') &&
         std::getline(file, contents.extractors)) {
    mark.contents[contents.sstable_version] = contents;
  }
  return mark;
}

bool IsNamedAsExported(const std::string& path) {
  return EndsWith(path, kAfterNumber);
}

bool FollowsNoDatabase(const std::string& folder, std::string* error) {
  const std::optional<FolderMark> mark = ReadFolderMark(folder);
  if (mark) {
    *error = folder + ": follows the database " + mark->database +
             ", and keeps what is there as filters of that database; export "
             "it with sync (--sync), or choose another folder";
  }
  return !mark;
}

// The lock is released when the descriptor is closed. (On NFS there is no lock,
// because a folder cannot be locked.)
ExportFolderLock::ExportFolderLock(const std::string& folder,
                                   const std::function<bool()>& may_wait)
    : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  while (fd_.get() >= 0 && flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      may_write_ = may_wait();
      if (!may_write_) {
        return;
      }
      std::this_thread::sleep_for(kPause);
    } else if (errno != EINTR) {
      return;
    }
  }
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

bool IsUpToDate(const std::string& filter_db, FilterForm form,
                const std::string& sst_file) {
  struct stat filter_status;
  struct stat sst_status;
  if (stat(filter_db.c_str(), &filter_status) != 0 ||
      stat(sst_file.c_str(), &sst_status) != 0 ||
      IsBefore(filter_status.st_mtim, sst_status.st_mtim) ||
      IsBefore(filter_status.st_mtim, sst_status.st_ctim)) {
    return false;
  }
  std::string ignored;
  const auto filter = FilterDbFile::Open(filter_db, form, &ignored);
  return filter != nullptr && !filter->always_present();
}

// ---- ExportFolder ----

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

void ExportFolder::RemoveLeftOvers() const {
  RemoveLeftOversIn(path_, [&](const std::string& name) {
    return IsTemporaryName(name, version_);
  });
}

// `*is_new` is set to true if the folder may be marked for this claim but does
// not have this mark yet.
bool ExportFolder::CheckMark(const Claim& claim, bool* is_new,
                             std::string* error) const {
  if (!MayBeOfExport(FolderMarkPath(path_), error)) {
    return false;
  }
  const std::optional<FolderMark> mark = ReadFolderMark(path_);
  *is_new = true;
  if (!mark) {
    return true;
  }
  if (mark->database != OneLine(claim.database)) {
    *error = path_ + ": holds the filters of another database, " +
             mark->database + "; choose another, or remove " +
             FolderMarkPath(path_) + " if it shall be that of " +
             claim.database;
    return false;
  }
  const auto held = mark->contents.find(version_);
  if (held == mark->contents.end()) {
    return true;
  }
  const FilterContents& wanted = claim.contents;
  const bool as_asked = held->second.asked == wanted.asked;
  *is_new = !as_asked || held->second.extractors != wanted.extractors;
  if (!as_asked && !claim.overwrite && HasFilterOf(claim.live)) {
    *error = path_ + ": holds filters made with " + held->second.asked +
             ", which cannot be kept among those with " + wanted.asked +
             ", as they hold other entries; choose another folder, or have all "
             "made anew (--force, or remove " +
             FolderMarkPath(path_) + ")";
    return false;
  }
  return true;
}

bool ExportFolder::HasFilterOf(const std::set<uint64_t>& numbers) const {
  return std::any_of(numbers.begin(), numbers.end(), [&](uint64_t number) {
    std::error_code ignored;
    return fs::exists(FilterDbOf(number), ignored);
  });
}

bool ExportFolder::MakeFollow(const Claim& claim,
                              std::vector<std::string>* removed,
                              std::string* error) const {
  bool is_new = false;
  if (!CheckMark(claim, &is_new, error)) {
    return false;
  }
  if (!is_new) {
    return true;
  }
  if (!RemoveAll(claim.live, removed, error)) {
    return false;
  }
  const std::optional<FolderMark> old_mark = ReadFolderMark(path_);
  FolderMark mark = old_mark.value_or(FolderMark());
  mark.contents[version_] = claim.contents;
  std::string text = OneLine(claim.database) + "\n";
  for (const auto& [version, held] : mark.contents) {
    text += version + "\t" + held.asked + "\t" + held.extractors + "\n";
  }
  return WriteFileAtomically(
      FolderMarkPath(path_), /*overwrite=*/old_mark.has_value(),
      [&](const Append& append) { return append(text.data(), text.size()); },
      error);
}

bool ExportFolder::StillFollows(const Claim& claim, std::string* error) const {
  bool is_new = false;
  if (!CheckMark(claim, &is_new, error)) {
    return false;
  }
  if (is_new) {
    *error = path_ + ": is no longer marked as that of " + claim.database +
             "; its filters are made again after the next flush, compaction or "
             "ingestion";
  }
  return !is_new;
}

bool ExportFolder::RemoveAll(const std::set<uint64_t>& live,
                             std::vector<std::string>* removed,
                             std::string* error) const {
  std::string left_alone;
  if (!RemoveStrays(live, removed, &left_alone, error)) {
    return false;
  }
  for (const uint64_t number : live) {
    // If the filter's path is not a regular file, that is an error of its own
    // SST file only, reported later.
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

// Removes the filters whose number is not in `live`. If something has the name
// of such a filter and is not a regular file, it stays, and `*left_alone`
// becomes the error.
bool ExportFolder::RemoveStrays(const std::set<uint64_t>& live,
                                std::vector<std::string>* removed,
                                std::string* left_alone,
                                std::string* error) const {
  std::error_code failure;
  const std::vector<std::string> strays = NamesIn(
      path_,
      [&](const std::string& name) { return IsOfNoneOf(live, name, version_); },
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
