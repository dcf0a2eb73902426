// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder_mark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "plugin/export/folder/folder_names.h"
#include "plugin/io/file_io.h"
#include "plugin/io/output_file.h"

namespace cassandra_bloom {
namespace {

constexpr char kSeparator = '\t';

// Removes the text up to the first `end` from `*text`, and `end`, too. Returns
// the removed text without `end`.
std::string TakeUntil(char end, std::string_view* text) {
  const size_t size = text->find(end);
  const std::string_view taken = text->substr(0, size);
  text->remove_prefix(size == std::string_view::npos ? text->size() : size + 1);
  return std::string(taken);
}

std::string Line(const std::string& a, const std::string& b,
                 const std::string& c) {
  return a + kSeparator + b + kSeparator + c + "\n";
}

std::string Line(const std::string& name, const RecordedFilter& filter) {
  return Line(name, filter.sst, filter.written);
}

// Replaces newlines, because a mark holds the name of the database in one line.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void ParseLine(const std::string& line, FolderMark* mark) {
  std::string_view rest = line;
  const std::string first = TakeUntil(kSeparator, &rest);
  if (rest.find(kSeparator) == std::string_view::npos) {
    return;
  }
  const std::string second = TakeUntil(kSeparator, &rest);
  std::string ignored;
  if (IsNamedAsExported(first)) {
    mark->filters[first] = {second, std::string(rest)};
    ++mark->num_filter_lines;
  } else if (IsNameableVersion(first, &ignored)) {
    mark->contents[first] = {second, std::string(rest)};
  }
}

}  // namespace

std::optional<std::string> TimeWritten(const std::string& filter_db) {
  struct stat status;
  if (stat(filter_db.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

bool IsMarkOf(const FolderMark& mark, const std::string& database) {
  return mark.database == OneLine(database);
}

bool SpeaksFor(const FolderMark& mark, const std::string& sstable_version) {
  return mark.contents.empty() || mark.contents.count(sstable_version) > 0;
}

std::string FolderMarkPath(const std::string& folder) {
  return folder + "/" + kFolderMarkName;
}

std::optional<FolderMark> ReadFolderMark(const std::string& folder) {
  constexpr uint64_t kMaxSize = uint64_t{1} << 30;
  const std::string path = FolderMarkPath(folder);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return std::nullopt;
  }
  FolderMark mark;
  std::string text;
  std::string unreadable;
  if (!ReadRegularFile(path, kMaxSize, &text, &unreadable)) {
    return mark;
  }
  std::string_view rest = text;
  mark.database = TakeUntil('\n', &rest);
  while (!rest.empty()) {
    ParseLine(TakeUntil('\n', &rest), &mark);
  }
  return mark;
}

bool WriteFolderMark(const std::string& folder, const FolderMark& mark,
                     bool overwrite, std::string* error) {
  std::string text = OneLine(mark.database) + "\n";
  for (const auto& [version, held] : mark.contents) {
    text += Line(version, held.asked, held.extractors);
  }
  for (const auto& [name, filter] : mark.filters) {
    text += Line(name, filter);
  }
  return WriteFileAtomically(
      FolderMarkPath(folder), overwrite,
      [&](const Append& append) { return append(text.data(), text.size()); },
      error);
}

bool AppendToFolderMark(const std::string& folder, const std::string& name,
                        const RecordedFilter& filter, std::string* error) {
  const std::string path = FolderMarkPath(folder);
  const FileDescriptor mark(
      open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  const std::string line = Line(name, filter);
  if (mark.get() < 0) {
    return FailWithErrno(path, "cannot be opened", error);
  }
  errno = ENOSPC;  // If write() writes only a part, the disk is full.
  return write(mark.get(), line.data(), line.size()) ==
             static_cast<ssize_t>(line.size()) ||
         FailWithErrno(path, "cannot be written", error);
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

}  // namespace cassandra_bloom
