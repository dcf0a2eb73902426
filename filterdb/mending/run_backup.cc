// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/run_backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>

#include "filterdb/mending/mend_outcome.h"
#include "filterdb/mending/mend_place.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kList[] = "list";
constexpr char kFormat[] = "filterdb mend 1";
constexpr char kNoFilter[] = "-";
constexpr uint64_t kMaxListSize = uint64_t{1} << 30;  // In bytes.

constexpr char kTimeFormat[] = "%Y%m%dT%H%M%SZ";  // Sorts by time.

std::string TimeNow() {
  const std::time_t now = std::time(nullptr);
  struct tm utc;
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), kTimeFormat, &utc);
  return text;
}

// Returns whether a folder is the backup of a run.
bool IsRun(const fs::path& folder) {
  struct tm time;
  const std::string name = folder.filename();
  const char* const end = strptime(name.c_str(), kTimeFormat, &time);
  return end != nullptr && *end == '\0' && NameExists(folder / kList);
}

// Makes the folder and its missing parents, and syncs their names to disk.
void MakeFolders(const std::string& folder) {
  if (folder.empty() || fs::is_directory(folder)) {
    return;
  }
  const std::string parent = fs::path(folder).parent_path().string();
  MakeFolders(parent);
  std::string error;
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    FailAt(folder, "cannot create the folder");
  }
  if (!SyncFolder(parent.empty() ? "." : parent, &error)) {
    Fail(error);
  }
}

// Copies a file, and returns the CRC-32 of the copy.
uint32_t Copy(const std::string& from, const std::string& to) {
  uint32_t crc = 0;
  std::string error;
  const WriteContent content = ContentOfFile(from, &crc);
  const WriteContent write = [&](const Append& append) {
    return TakeModeAndGroup(from, to + kTemporarySuffix) && content(append);
  };
  if (!WriteFileAtomically(to, /*overwrite=*/false, write, &error)) {
    Fail(error);
  }
  return crc;
}

// A line that cannot be written may be cut. It is the last one, because the run
// ends.
void AddLine(const std::string& folder, std::string line) {
  line += '\n';
  const std::string path = folder + "/" + kList;
  const FileDescriptor fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (fd.get() < 0 || !WriteAll(fd.get(), line.data(), line.size()) ||
      fsync(fd.get()) != 0) {
    FailAt(path, "cannot write");
  }
}

bool ParseLine(const std::string& line, MendedFilter* filter) {
  std::istringstream fields(line);
  std::string old_filter;
  fields >> std::hex >> filter->index >> old_filter >> filter->new_filter;
  if (old_filter != kNoFilter) {
    filter->old_filter =
        static_cast<uint32_t>(std::strtoul(old_filter.c_str(), nullptr, 16));
  }
  return std::getline(fields >> std::ws, filter->path) &&
         filter->path.front() == '/' && EndsWith(filter->path, kFilterDb);
}

}  // namespace

uint32_t CrcOrFail(const std::string& path) {
  std::string error;
  const auto crc = CrcOfFile(path, &error);
  if (!crc) {
    Fail(error);
  }
  return *crc;
}

bool CanMake(const std::string& folder, std::string* error) {
  std::string there = fs::absolute(folder).lexically_normal().string();
  while (!NameExists(there) && there.size() > 1) {
    there = fs::path(there).parent_path().string();
  }
  std::error_code failure;
  if (!fs::is_directory(there, failure) && !failure) {
    *error = there + ": is not a folder";
    return false;
  }
  return access(there.c_str(), W_OK | X_OK) == 0 ||
         FailWithErrno(there, "cannot create files in this folder", error);
}

// Two runs that begin in the same second get folders of different seconds.
void RunBackup::MakeFolder() {
  MakeFolders(parent_);
  std::string folder;
  for (;;) {
    folder = parent_ + "/" + TimeNow();
    if (mkdir(folder.c_str(), 0777) == 0) {
      break;
    }
    if (errno != EEXIST) {
      FailAt(folder, "cannot create the folder");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  AddLine(folder, kFormat);
  std::string error;
  if (!SyncFolder(folder, &error) || !SyncFolder(parent_, &error)) {
    Fail(error);
  }
  folder_ = fs::canonical(folder).string();
}

void RunBackup::Keep(const Sstable& sstable,
                     std::optional<uint32_t> new_filter) {
  // The absolute path of the SSTable's files without their component.
  const std::string prefix =
      fs::canonical(sstable.folder).string() + "/" + sstable.name_prefix;
  const std::string filter = prefix + kFilterDb;
  const std::string scylla = prefix + "Scylla.db";
  if (filter.find('\n') != std::string::npos) {
    Leave(
        "the list of a backup cannot hold the line end in the name of its "
        "folder; mend it with --no-backup");
  }
  // Read here first, so that a failure is one of the SSTable's file.
  const uint32_t index = CrcOrFail(sstable.IndexPath());
  auto old_filter =
      NameExists(filter) ? std::make_optional(CrcOrFail(filter)) : std::nullopt;
  try {
    if (folder_.empty()) {
      MakeFolder();
    }
    MakeFolders(fs::path(PathInBackup(folder_, prefix)).parent_path().string());
    if (old_filter && new_filter) {
      old_filter = Copy(filter, PathInBackup(folder_, filter));
    }
    if (NameExists(scylla)) {
      Copy(scylla, PathInBackup(folder_, scylla));
    }
    AddLine(folder_, HexOfCrc(index) + " " +
                         (old_filter ? HexOfCrc(*old_filter) : kNoFilter) +
                         " " +
                         HexOfCrc(new_filter.value_or(old_filter.value_or(0))) +
                         " " + filter);
  } catch (MendEnd& end) {
    end.ends_run = true;
    throw;
  }
}

std::optional<std::vector<MendedFilter>> ReadRunList(const std::string& folder,
                                                     std::string* error) {
  const std::string path = folder + "/" + kList;
  std::string content;
  if (!ReadRegularFile(path, kMaxListSize, &content, error)) {
    return std::nullopt;
  }
  std::vector<MendedFilter> filters;
  std::string line;
  std::istringstream lines(content);
  if (!std::getline(lines, line) || line != kFormat) {
    *error = path + ": is not the list of a run of filterdb mend";
    return std::nullopt;
  }
  // At the end of a line that is cut, there is no line end.
  while (std::getline(lines, line) && !lines.eof()) {
    MendedFilter filter;
    if (!ParseLine(line, &filter)) {
      *error = path + ": is damaged: " + line;
      return std::nullopt;
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

std::vector<std::string> LaterRuns(const std::string& folder) {
  // `folder` may be a symbolic link into another folder.
  std::error_code ignored;
  const fs::path run = fs::canonical(folder, ignored);
  const std::string name = run.filename();
  std::vector<std::string> later = NamesIn(
      run.parent_path(),
      [&](const std::string& other) {
        return other > name && IsRun(run.parent_path() / other);
      },
      &ignored);
  std::sort(later.rbegin(), later.rend());
  for (std::string& other : later) {
    other = run.parent_path() / other;
  }
  return later;
}

}  // namespace cassandra_bloom::tools
