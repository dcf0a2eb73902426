// SPDX-License-Identifier: Apache-2.0

#include "tools/export/folder_upkeep.h"

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/split.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom {
namespace {

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

bool ReadMark(const ExportFolder& folder, std::set<std::string>* lines,
              std::string* error) {
  const std::string path = folder.MarkPath();
  std::string text;
  std::error_code failure;
  if (const auto size = std::filesystem::file_size(path, failure);
      !failure && size > kMaxMark) {
    return true;  // All filters are then made anew, and the mark is short.
  }
  if (NameExists(path) && !ReadRegularFile(path, kMaxMark, &text, error)) {
    return false;
  }
  for (const std::string_view line : Split(text, '\n')) {
    lines->insert(std::string(line));
  }
  return true;
}

bool HasFilterOf(const ExportFolder& folder, const std::set<std::string>& lines,
                 uint64_t number, const std::string& sst) {
  const std::string stamp = StampOf(sst);
  return !stamp.empty() && FileExists(folder.FilterDbOf(number)) &&
         lines.count(folder.LineOf(number, stamp)) > 0;
}

bool ListAndTidy(const ExportFolder& folder, std::vector<uint64_t>* numbers,
                 std::string* error) {
  const std::string& version = folder.settings().sstable_version;
  std::vector<std::string> names;
  if (!folder.ListNames(&names, error)) {
    return false;
  }
  for (const std::string& name : names) {
    if (const auto number = NumberOfFilterDb(name, version)) {
      numbers->push_back(*number);
    } else if (!folder.settings().dry_run &&
               IsLeftOver(folder.path(), name, version)) {
      unlink((folder.path() + "/" + name).c_str());
    }
  }
  return true;
}

// Lines of other SSTable versions stay if their filters do. A line that
// somebody appends between the reading and the writing is lost.
bool ShortenMark(const ExportFolder& folder, std::string* error) {
  std::set<std::string> lines;
  if (!ReadMark(folder, &lines, error)) {
    return false;
  }
  const std::string path = folder.MarkPath();
  const std::string owner = folder.Owner();
  struct stat mark;
  if (owner.empty() || stat(path.c_str(), &mark) != 0) {
    return true;  // Somebody has just removed it.
  }
  std::string text = owner + "\n";
  for (const std::string& line : lines) {
    const std::string name = line.substr(0, line.find(kMarkSeparator));
    const std::string stamp = StampOf(folder.path() + "/" + name);
    if (!stamp.empty() && EndsWith(line, kMarkSeparator + stamp)) {
      text += line + "\n";
    }
  }
  if (static_cast<size_t>(mark.st_size) == text.size()) {
    return true;
  }
  if (!folder.WriteMark(text, /*overwrite=*/true, error)) {
    return false;
  }
  // An export of root's must leave the mark to the user whose listener appends
  // to it.
  const bool ignored = lchown(path.c_str(), mark.st_uid, mark.st_gid) == 0 &&
                       chmod(path.c_str(), mark.st_mode & 07777) == 0;
  static_cast<void>(ignored);
  return true;
}

}  // namespace cassandra_bloom
