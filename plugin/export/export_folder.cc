// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"
#include "plugin/filter_db/write_file.h"
#include "plugin/policy/running_rocksdb.h"

namespace cassandra_bloom {
namespace {

uint64_t NumberAtBegin(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string FilterDbName(const std::string& sstable_version, uint64_t number) {
  return (sstable_version + "-" + std::to_string(number) + "-")
      .append(FormatOfSstableVersion(sstable_version))
      .append("-Filter.db");
}

std::optional<uint64_t> NumberOfFilterDb(std::string_view name,
                                         const std::string& sstable_version) {
  const size_t begin = std::min(sstable_version.size() + 1, name.size());
  const uint64_t number = NumberAtBegin(name.substr(begin));
  return name == FilterDbName(sstable_version, number)
             ? std::optional<uint64_t>(number)
             : std::nullopt;
}

std::string SstName(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits +
         ".sst";
}

uint64_t NumberOfSst(std::string_view path) {
  return NumberAtBegin(FileNameOf(path));
}

std::string StampOf(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return "";
  }
  return std::to_string(status.st_ino) + " " + std::to_string(status.st_size) +
         " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

std::optional<FilterForm> FormOfExports(const std::string& sstable_version,
                                        std::string* error) {
  if (const std::string fault = RunningRocksdbFault(); !fault.empty()) {
    *error = fault;
    return std::nullopt;
  }
  if (IsFormName(sstable_version)) {
    *error = "'" + sstable_version +
             "' is a form, but the names of the files need an SSTable version, "
             "such as nb";
    return std::nullopt;
  }
  FilterForm form;
  return FormOfSstableVersion(sstable_version, &form, error)
             ? std::optional<FilterForm>(form)
             : std::nullopt;
}

std::string DatabaseOf(const std::string& path) {
  std::error_code failure;
  const auto canonical = std::filesystem::weakly_canonical(path, failure);
  std::string whole = failure ? path : canonical.string();
  std::replace(whole.begin(), whole.end(), '\n', ' ');
  return whole;
}

ExportResult WriteFilter(const ParsedFilter& filter, FilterForm form,
                         const std::string& path, std::string* error) {
  return WriteFileAtomically(path, /*overwrite=*/true,
                             FilterDbContent(form, filter.num_probes,
                                             filter.num_words, filter.bits),
                             error)
             ? ExportResult::kDone
             : ExportResult::kCannotWrite;
}

bool ExportFolder::Claim(const std::string& database,
                         std::string* error) const {
  const bool dry_run = settings_.dry_run;
  if (path_.empty()) {
    *error = "the folder to export to has no name";
    return false;
  }
  if (!dry_run && mkdir(path_.c_str(), 0777) != 0 && errno != EEXIST) {
    return FailWithErrno(path_, "is no folder, and cannot be created", error);
  }
  std::string owner = Owner();
  if (owner.empty()) {
    const FileDescriptor mark(open(MarkPath().c_str(), O_RDONLY | O_CLOEXEC));
    if (mark.get() < 0 && errno != ENOENT && errno != ENOTDIR) {
      return FailWithErrno(MarkPath(), "cannot be read", error);
    }
    if (!MayBeTaken(/*is_claimed=*/false, error) && Owner().empty()) {
      return false;
    }
    if (dry_run) {
      return true;
    }
    // Another thread or process may do the same and be first.
    std::string failure;
    WriteMark(database + "\n", /*overwrite=*/false, &failure);
    owner = Owner();
    if (owner.empty()) {
      *error = failure;
      return false;
    }
  }
  if (owner == database) {
    return true;
  }
  *error = path_ + ": holds the filters of another database, " + owner +
           "; choose another folder, or, if it shall be that of " + database +
           ", remove " + MarkPath() +
           " and let `sst_filters export --force` take the folder over";
  return false;
}

// Does not read the whole mark, because a listener calls this for each SST
// file.
std::string ExportFolder::Owner() const {
  std::string owner;
  std::ifstream mark(MarkPath());
  std::getline(mark, owner);
  return owner;
}

bool ExportFolder::ListNames(std::vector<std::string>* names,
                             std::string* error) const {
  std::error_code failure;
  *names = NamesIn(
      path_, [](const std::string&) { return true; }, &failure);
  if (failure && failure != std::errc::no_such_file_or_directory) {
    *error = path_ + ": is no folder that can be read: " + failure.message();
    return false;
  }
  return true;
}

bool ExportFolder::MayBeTaken(bool is_claimed, std::string* error) const {
  std::vector<std::string> names;
  if (!ListNames(&names, error)) {
    return false;
  }
  const auto is_others = [&](const std::string& name) {
    return EndsWith(name, "-Data.db") ||
           (!is_claimed && !settings_.overwrite &&
            NumberOfFilterDb(name, settings_.sstable_version));
  };
  const auto others = std::find_if(names.begin(), names.end(), is_others);
  if (others == names.end()) {
    return true;
  }
  *error = path_ + ": holds " + *others +
           ", which no export recorded as its own, and an export would remove "
           "or replace filters; choose another folder" +
           (EndsWith(*others, "-Data.db")
                ? ", because this one holds SSTables of Cassandra"
                : ", or let `sst_filters export --force` take this one over");
  return false;
}

std::string ExportFolder::FilterDbOf(uint64_t number) const {
  return path_ + "/" + FilterDbName(settings_.sstable_version, number);
}

bool ExportFolder::WriteMark(const std::string& text, bool overwrite,
                             std::string* error) const {
  return WriteFileAtomically(
      MarkPath(), overwrite,
      [&](const Append& append) { return append(text.data(), text.size()); },
      error);
}

std::string ExportFolder::LineOf(uint64_t number,
                                 const std::string& sst_stamp) const {
  return FilterDbName(settings_.sstable_version, number) + kMarkSeparator +
         sst_stamp + kMarkSeparator + settings_.filters + kMarkSeparator +
         StampOf(FilterDbOf(number));
}

ExportResult ExportFolder::Renew(uint64_t number, const std::string& sst,
                                 const WriteFilterDb& write,
                                 std::string* error) const {
  const std::string stamp = StampOf(sst);
  if (stamp.empty()) {
    return ExportResult::kGone;
  }
  if (!Remove(number, error)) {
    return ExportResult::kCannotWrite;
  }
  ExportResult result = write(FilterDbOf(number), error);
  if (result == ExportResult::kDone && !Record(number, stamp, error)) {
    result = ExportResult::kCannotWrite;
  }
  if (const std::string now = StampOf(sst); now != stamp) {
    result = now.empty() ? ExportResult::kGone : ExportResult::kCannotRead;
    *error = sst + ": changed while it was exported";
  }
  if (result != ExportResult::kDone) {
    std::string ignored;
    Remove(number, &ignored);
  }
  return result;
}

// Removes a symbolic link, not the file that it leads to.
bool ExportFolder::Remove(uint64_t number, std::string* error) const {
  const std::string path = FilterDbOf(number);
  return unlink(path.c_str()) == 0 || errno == ENOENT ||
         FailWithErrno(path, "cannot be removed", error);
}

// Appends the line of a new Filter.db to the mark. Does not sync the line to
// disk, because that would be slow.
bool ExportFolder::Record(uint64_t number, const std::string& sst_stamp,
                          std::string* error) const {
  const std::string line = LineOf(number, sst_stamp) + "\n";
  const FileDescriptor mark(
      open(MarkPath().c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (mark.get() < 0 && errno == EACCES) {
    // An export of another user, such as root, has written it.
    std::string text;
    return ReadRegularFile(MarkPath(), kMaxMark, &text, error) &&
           WriteMark(text + line, /*overwrite=*/true, error);
  }
  if (mark.get() >= 0) {
    errno = ENOSPC;  // If write() writes only a part, the disk is full.
  }
  return (mark.get() >= 0 && write(mark.get(), line.data(), line.size()) ==
                                 static_cast<ssize_t>(line.size())) ||
         FailWithErrno(MarkPath(), "cannot be written", error);
}

}  // namespace cassandra_bloom
