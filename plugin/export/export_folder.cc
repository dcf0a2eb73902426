// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/split.h"
#include "plugin/filter_db/sstable_version.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom {
namespace {

constexpr char kSeparator = '\t';
constexpr uint64_t kMaxMark = uint64_t{1} << 30;

uint64_t NumberAtBegin(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Leaves `*names` empty if there is no folder.
bool ListNames(const std::string& folder, std::vector<std::string>* names,
               std::string* error) {
  std::error_code failure;
  *names = NamesIn(
      folder, [](const std::string&) { return true; }, &failure);
  if (failure && failure != std::errc::no_such_file_or_directory) {
    *error = folder + ": is no folder that can be read: " + failure.message();
    return false;
  }
  return true;
}

// Returns true if WriteFileAtomically was to give this file the name of a mark
// or a filter, and has not touched it for a day.
bool IsLeftOver(const std::string& folder, const std::string& name,
                const std::string& version) {
  constexpr time_t kDay = 24 * 60 * 60;
  std::string_view whole;
  struct stat status;
  return IsTemporaryName(name, &whole) &&
         (whole == kFolderMarkName || NumberOfFilterDb(whole, version)) &&
         lstat((folder + "/" + name).c_str(), &status) == 0 &&
         status.st_mtim.tv_sec < time(nullptr) - kDay;
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

std::string DatabaseOf(const std::string& path) {
  std::error_code failure;
  const auto canonical = std::filesystem::weakly_canonical(path, failure);
  std::string whole = failure ? path : canonical.string();
  std::replace(whole.begin(), whole.end(), '\n', ' ');
  return whole;
}

bool ExportFolder::Claim(const std::string& database,
                         std::string* error) const {
  const bool dry_run = plan_.options.dry_run;
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

bool ExportFolder::MayBeTaken(bool is_claimed, std::string* error) const {
  std::vector<std::string> names;
  if (!ListNames(path_, &names, error)) {
    return false;
  }
  const auto is_others = [&](const std::string& name) {
    return EndsWith(name, "-Data.db") ||
           (!is_claimed && !plan_.options.overwrite &&
            NumberOfFilterDb(name, plan_.options.sstable_version));
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
  return path_ + "/" + FilterDbName(plan_.options.sstable_version, number);
}

bool ExportFolder::ReadMark(std::set<std::string>* lines,
                            std::string* error) const {
  std::string text;
  std::error_code failure;
  if (const auto size = std::filesystem::file_size(MarkPath(), failure);
      !failure && size > kMaxMark) {
    return true;  // All filters are then made anew, and the mark is short.
  }
  if (NameExists(MarkPath()) &&
      !ReadRegularFile(MarkPath(), kMaxMark, &text, error)) {
    return false;
  }
  for (const std::string_view line : Split(text, '\n')) {
    lines->insert(std::string(line));
  }
  return true;
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
  return FilterDbName(plan_.options.sstable_version, number) + kSeparator +
         sst_stamp + kSeparator + ExportOptionsText(plan_) + kSeparator +
         StampOf(FilterDbOf(number));
}

bool ExportFolder::HasFilterOf(const std::set<std::string>& lines,
                               uint64_t number, const std::string& sst) const {
  const std::string stamp = StampOf(sst);
  return !stamp.empty() && FileExists(FilterDbOf(number)) &&
         lines.count(LineOf(number, stamp)) > 0;
}

ExportResult ExportFolder::Renew(uint64_t number, const std::string& sst,
                                 ExportedFilterDb* exported,
                                 std::string* error) const {
  const std::string stamp = StampOf(sst);
  if (stamp.empty()) {
    return ExportResult::kGone;
  }
  if (!Remove(number, error)) {
    return ExportResult::kCannotWrite;
  }
  exported->sst_file = sst;
  exported->filter_db = FilterDbOf(number);
  ExportResult result = ExportSst(plan_, exported, error);
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
    // An export of another user, such as root, has shortened it.
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

bool ExportFolder::ListAndTidy(std::vector<uint64_t>* numbers,
                               std::string* error) const {
  const std::string& version = plan_.options.sstable_version;
  std::vector<std::string> names;
  if (!ListNames(path_, &names, error)) {
    return false;
  }
  for (const std::string& name : names) {
    if (const auto number = NumberOfFilterDb(name, version)) {
      numbers->push_back(*number);
    } else if (!plan_.options.dry_run && IsLeftOver(path_, name, version)) {
      unlink((path_ + "/" + name).c_str());
    }
  }
  return true;
}

// Lines of other SSTable versions stay if their filters do. A line that
// somebody appends between the reading and the writing is lost.
bool ExportFolder::Shorten(std::string* error) const {
  std::set<std::string> lines;
  if (!ReadMark(&lines, error)) {
    return false;
  }
  const std::string owner = Owner();
  struct stat mark;
  if (owner.empty() || stat(MarkPath().c_str(), &mark) != 0) {
    return true;  // Somebody has just removed it.
  }
  std::string text = owner + "\n";
  for (const std::string& line : lines) {
    const std::string name = line.substr(0, line.find(kSeparator));
    const std::string stamp = StampOf(path_ + "/" + name);
    if (!stamp.empty() && EndsWith(line, kSeparator + stamp)) {
      text += line + "\n";
    }
  }
  if (static_cast<size_t>(mark.st_size) == text.size()) {
    return true;
  }
  if (!WriteMark(text, /*overwrite=*/true, error)) {
    return false;
  }
  // An export of root's must leave the mark to the user whose listener appends
  // to it.
  const bool ignored =
      lchown(MarkPath().c_str(), mark.st_uid, mark.st_gid) == 0 &&
      chmod(MarkPath().c_str(), mark.st_mode & 07777) == 0;
  static_cast<void>(ignored);
  return true;
}

}  // namespace cassandra_bloom
