#include "plugin/rocksdb/export_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>
#include <tuple>

#include "plugin/core/file_io.h"

namespace cassandra_bloom {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kAfterNumber = "-big-Filter.db";
constexpr std::string_view kDataComponent = "-Data.db";
constexpr char kDatabaseMark[] = ".cassandra_bloom_database";

// Takes a number without sign from the front.
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

bool IsOfAnotherProcess(pid_t pid) {
  return pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM);
}

// What a process that is no more left of WriteFileAtomically: ".tmp<pid>".
bool IsLeftOver(std::string_view suffix) {
  pid_t pid;
  return TakePrefix(&suffix, ".tmp") && TakeNumber(&suffix, &pid) &&
         suffix.empty() && !IsOfAnotherProcess(pid);
}

// Whether sync removes a file of this name.
bool IsStray(std::string_view name, const std::string& version,
             const std::set<uint64_t>& live) {
  if (TakePrefix(&name, kDatabaseMark)) {
    return IsLeftOver(name);
  }
  const std::string whole(name);
  uint64_t number;
  if (!TakePrefix(&name, version + "-") || !TakeNumber(&name, &number) ||
      !TakePrefix(&name, kAfterNumber)) {
    return false;
  }
  if (name.empty()) {
    // "nb-007-..." is none of our names.
    return whole == FilterDbName(version, number) && live.count(number) == 0;
  }
  return IsLeftOver(name);
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

bool IsUsableExportFolder(const std::string& folder, std::string* error) {
  if (folder.empty()) {
    *error = "the folder to export to has no name";
    return false;
  }
  const std::string database = DatabaseFolderAbove(folder);
  if (!database.empty()) {
    *error = folder + ": is in the folder of a database, " + database +
             ", where nothing is written; choose another";
    return false;
  }
  std::error_code failure;
  if (fs::is_directory(folder, failure)) {
    if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0) {
      *error =
          folder + ": cannot be read and written to: " + std::strerror(errno);
      return false;
    }
    return true;
  }
  fs::path whole = fs::absolute(folder, failure).lexically_normal();
  if (!whole.has_filename()) {
    whole = whole.parent_path();  // It ended in a slash.
  }
  const fs::path parent = whole.parent_path();
  if (fs::exists(folder, failure) || !fs::is_directory(parent, failure) ||
      access(parent.c_str(), W_OK | X_OK) != 0) {
    *error =
        folder + ": is no folder, and cannot be created in " + parent.string();
    return false;
  }
  return true;
}

bool PrepareExportFolder(const std::string& folder, std::string* error) {
  if (!IsUsableExportFolder(folder, error)) {
    return false;
  }
  std::error_code failure;
  fs::create_directory(folder, failure);
  if (failure) {
    *error =
        folder + ": is no folder, and cannot be created: " + failure.message();
    return false;
  }
  return true;
}

bool MayBeSynced(const std::string& folder, std::string* error) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (EndsWith(name, kDataComponent)) {
      *error = folder + ": holds SSTables of Cassandra, such as " + name +
               ", and making the folder follow a database would remove their "
               "filters; choose another";
      return false;
    }
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    *error = folder + ": cannot be read: " + failure.message();
    return false;
  }
  return true;
}

bool ClaimExportFolder(const std::string& folder, const std::string& database,
                       bool* is_new, std::string* error) {
  const std::string path = folder + "/" + kDatabaseMark;
  std::error_code failure;
  *is_new = !fs::exists(path, failure);
  if (*is_new) {
    return WriteFileAtomically(
        path, /*overwrite=*/false,
        [&](const Append& append) {
          return append(database.data(), database.size());
        },
        error);
  }
  std::ifstream mark(path);
  const std::string owner{std::istreambuf_iterator<char>(mark), {}};
  if (owner != database) {
    *error = folder + ": holds the filters of another database, " + owner +
             "; choose another, or remove " + path +
             " if it shall be that of " + database;
    return false;
  }
  return true;
}

ExportFolderLock::ExportFolderLock(const std::string& folder)
    : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // Closing it ends the lock. (Not so in NFS, where a folder has no lock.)
  while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

ExportFolderLock::~ExportFolderLock() {
  if (fd_ >= 0) {
    close(fd_);
  }
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

bool RemoveFilterDb(const std::string& folder,
                    const std::string& sstable_version, uint64_t number,
                    std::vector<std::string>* removed, std::string* error) {
  const std::string path = folder + "/" + FilterDbName(sstable_version, number);
  std::error_code failure;
  if (fs::remove(path, failure)) {
    removed->push_back(path);
  }
  if (failure) {
    *error = path + ": cannot be removed: " + failure.message();
    return false;
  }
  return true;
}

bool RemoveOtherFilterDbs(const std::string& folder,
                          const std::string& sstable_version,
                          const std::set<uint64_t>& live,
                          std::vector<std::string>* removed,
                          std::string* error) {
  std::error_code failure;
  std::vector<fs::path> strays;
  for (fs::directory_iterator entry(folder, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    if (IsStray(entry->path().filename().string(), sstable_version, live)) {
      strays.push_back(entry->path());
    }
  }
  for (const fs::path& stray : strays) {
    if (!failure && fs::remove(stray, failure)) {
      removed->push_back(stray);
    }
  }
  if (failure) {
    *error = folder +
             ": cannot be cleared of filters of SST files that are no "
             "more: " +
             failure.message();
    return false;
  }
  return true;
}

}  // namespace cassandra_bloom
