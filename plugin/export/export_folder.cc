// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "plugin/export/export_names.h"
#include "plugin/filter_db/split.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom {
namespace {

constexpr char kSeparator = '\t';

// Replaces newlines, because a mark holds the name of the database in one line.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Returns the size and the modification time of a regular file, or "" if there
// is none.
std::string WrittenOf(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return "";
  }
  return std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

// Succeeds if there is nothing at `path`. Removes a symbolic link, not the file
// that it leads to.
bool RemoveFile(const std::string& path, std::string* error) {
  return unlink(path.c_str()) == 0 || errno == ENOENT ||
         FailWithErrno(path, "cannot be removed", error);
}

}  // namespace

std::unique_ptr<ExportFolder> ExportFolder::Open(
    const std::string& path, const std::string& sstable_version,
    const std::string& options, bool dry_run, const StopExport& stop,
    std::string* error) {
  if (path.empty()) {
    *error = "the folder to export to has no name";
    return nullptr;
  }
  std::unique_ptr<ExportFolder> folder(
      new ExportFolder(path, sstable_version, options, dry_run));
  const bool has_folder =
      dry_run || mkdir(path.c_str(), 0777) == 0 || errno == EEXIST ||
      FailWithErrno(path, "is no folder, and cannot be created", error);
  const bool good =
      has_folder && folder->Lock(stop, error) && folder->ReadNames(error);
  return good ? std::move(folder) : nullptr;
}

// Closing the descriptor is not enough, because a process that was forked from
// this one has it open, too.
ExportFolder::~ExportFolder() {
  if (lock_ != nullptr && lock_->get() >= 0) {
    flock(lock_->get(), LOCK_UN);
  }
}

bool ExportFolder::Lock(const StopExport& stop, std::string* error) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  lock_ = std::make_unique<FileDescriptor>(
      open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_->get() < 0) {
    return (dry_run_ && errno == ENOENT) ||
           FailWithErrno(path_, "is no folder that can be read", error);
  }
  while (!dry_run_ && flock(lock_->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return true;  // The file system has no locks.
    }
    if (stop()) {
      return false;
    }
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

bool ExportFolder::ReadNames(std::string* error) {
  std::error_code failure;
  names_ = NamesIn(
      path_, [](const std::string&) { return true; }, &failure);
  if (failure && failure != std::errc::no_such_file_or_directory) {
    *error = path_ + ": cannot be read: " + failure.message();
    return false;
  }
  return true;
}

void ExportFolder::ParseLine(std::string_view line) {
  const std::vector<std::string_view> parts = Split(line, kSeparator);
  if (parts.size() == 4) {
    filters_[std::string(parts[0])] = {
        std::string(parts[1]), std::string(parts[2]), std::string(parts[3])};
  }
}

bool ExportFolder::ReadMark(bool* exists, std::string* error) {
  constexpr uint64_t kMaxSize = uint64_t{1} << 30;
  *exists = NameExists(MarkPath());
  std::string text;
  if (!*exists) {
    return true;
  }
  if (!ReadRegularFile(MarkPath(), kMaxSize, &text, error)) {
    return false;
  }
  const std::vector<std::string_view> lines = Split(text, '\n');
  database_ = lines[0];
  // Leaves out the last one. It is empty, or its writer was killed.
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    ParseLine(lines[i]);
  }
  num_lines_ = lines.size() - 1;
  // The next line must not be appended to a part of a line.
  return lines.back().empty() || WriteMark(error);
}

std::string ExportFolder::LineOf(const NamedFilter& named) {
  const Filter& filter = named.second;
  return named.first + kSeparator + filter.sst + kSeparator + filter.options +
         kSeparator + filter.written + "\n";
}

bool ExportFolder::WriteMark(std::string* error) const {
  std::string text = database_ + "\n";
  for (const NamedFilter& filter : filters_) {
    text += LineOf(filter);
  }
  return dry_run_ || WriteFileAtomically(
                         MarkPath(), /*overwrite=*/true,
                         [&](const Append& append) {
                           return append(text.data(), text.size());
                         },
                         error);
}

bool ExportFolder::ClaimFor(const std::string& database, bool take_over,
                            std::string* error) {
  const auto sstable = std::find_if(
      names_.begin(), names_.end(),
      [](const std::string& name) { return EndsWith(name, "-Data.db"); });
  if (sstable != names_.end()) {
    *error = path_ + ": holds SSTables of Cassandra, such as " + *sstable +
             ", and an export would remove or replace their filters; choose "
             "another folder";
    return false;
  }
  bool has_mark = false;
  if (!ReadMark(&has_mark, error)) {
    return false;
  }
  if (has_mark && database_ == OneLine(database)) {
    return true;
  }
  if (has_mark) {
    *error = path_ + ": holds the filters of another database, " + database_ +
             "; choose another folder, or, if it shall be that of " + database +
             ", remove " + MarkPath() + " and let the export take it over";
    return false;
  }
  const auto filter =
      std::find_if(names_.begin(), names_.end(), [&](const std::string& name) {
        return NumberOfFilterDb(name, version_).has_value();
      });
  if (filter != names_.end() && !take_over) {
    *error = path_ + ": has filters that no export recorded as its own, " +
             "such as " + *filter +
             ", and making the folder follow a database would remove or "
             "replace them; choose another folder, or let the export take "
             "this one over";
    return false;
  }
  database_ = OneLine(database);
  num_lines_ = 1;
  return WriteMark(error);
}

std::string ExportFolder::FilterDbOf(uint64_t number) const {
  return path_ + "/" + FilterDbName(version_, number);
}

bool ExportFolder::IsUnchanged(const NamedFilter& filter) const {
  const std::string written = WrittenOf(path_ + "/" + filter.first);
  return !written.empty() && written == filter.second.written;
}

bool ExportFolder::HasFilterOf(const LiveSst& sst) const {
  const auto filter = filters_.find(FilterDbName(version_, sst.number));
  return filter != filters_.end() && filter->second.sst == sst.identity &&
         filter->second.options == options_ && IsUnchanged(*filter);
}

bool ExportFolder::RemoveOthers(const LiveSsts& live,
                                std::vector<std::string>* removed,
                                std::string* error) {
  std::set<uint64_t> numbers;
  for (const LiveSst& sst : live.files) {
    numbers.insert(sst.number);
  }
  const auto is_other = [&](const std::string& name) {
    const auto number = NumberOfFilterDb(name, version_);
    return number && numbers.count(*number) == 0;
  };
  for (const std::string& name : names_) {
    const std::string path = path_ + "/" + name;
    const std::string_view whole =
        std::string_view(name).substr(0, name.rfind(kTemporarySuffix));
    const bool is_left_over =
        EndsWith(name, kTemporarySuffix) &&
        (whole == kFolderMarkName || NumberOfFilterDb(whole, version_));
    if (is_left_over && !dry_run_) {
      RemoveLeftOver(path);
    } else if (is_other(name)) {
      if (!dry_run_ && !RemoveFile(path, error)) {
        return false;
      }
      filters_.erase(name);
      removed->push_back(path);
    }
  }
  names_.erase(std::remove_if(names_.begin(), names_.end(), is_other),
               names_.end());
  return true;
}

bool ExportFolder::Remove(uint64_t number, std::string* error) {
  filters_.erase(FilterDbName(version_, number));
  return RemoveFile(FilterDbOf(number), error);
}

bool ExportFolder::Record(const LiveSst& sst, std::string* error) {
  const std::string name = FilterDbName(version_, sst.number);
  const Filter filter = {sst.identity, options_,
                         WrittenOf(FilterDbOf(sst.number))};
  filters_[name] = filter;
  names_.push_back(name);
  ++num_lines_;
  const std::string line = LineOf({name, filter});
  const FileDescriptor mark(
      open(MarkPath().c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (mark.get() < 0) {
    // Somebody has removed the mark, or another user wrote it. Without a mark,
    // no export would ever take this folder again.
    return WriteMark(error);
  }
  errno = ENOSPC;  // If write() writes only a part, the disk is full.
  return write(mark.get(), line.data(), line.size()) ==
             static_cast<ssize_t>(line.size()) ||
         FailWithErrno(MarkPath(), "cannot be written", error);
}

bool ExportFolder::Compact(std::string* error) {
  // Lines of other SSTable versions stay if their filters do.
  for (auto filter = filters_.begin(); filter != filters_.end();) {
    filter = IsUnchanged(*filter) ? std::next(filter) : filters_.erase(filter);
  }
  return num_lines_ <= filters_.size() + 1 || WriteMark(error);
}

}  // namespace cassandra_bloom
