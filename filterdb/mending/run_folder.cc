// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "filterdb/mending/outcome.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kFormat[] = "filterdb run 1 ";
constexpr char kFormatOfOldBackups[] = "filterdb mend 1";
constexpr uint64_t kMaxListSize = uint64_t{4} << 30;  // In bytes.
constexpr char kNoFilter[] = "-";

// ---- Lines ----

std::string TextOf(const FileStamp& stamp) {
  const auto& [inode, size, seconds, nanoseconds] = stamp;
  return std::to_string(inode) + " " + std::to_string(size) + " " +
         std::to_string(seconds) + " " + std::to_string(nanoseconds);
}

std::string TextOf(const std::optional<uint32_t>& crc) {
  return crc ? HexOfCrc(*crc) : kNoFilter;
}

std::string TextOf(const RunLine& line) {
  return std::to_string(line.number) + " " + std::to_string(line.harms.bits()) +
         " " + TextOf(line.data) + " " + TextOf(line.index) + " " +
         HexOfCrc(line.index_crc) + " " + TextOf(line.old_filter) + " " +
         TextOf(line.new_filter) + " " + line.prefix;
}

std::string WithCrc(const std::string& text) {
  return HexOfCrc(Crc32(text)) + " " + text;
}

FileStamp ParseStamp(std::istringstream* fields) {
  FileStamp stamp;
  auto& [inode, size, seconds, nanoseconds] = stamp;
  *fields >> inode >> size >> seconds >> nanoseconds;
  return stamp;
}

std::optional<uint32_t> ParseCrc(std::istringstream* fields) {
  std::string text;
  *fields >> text;
  return text == kNoFilter ? std::nullopt
                           : std::make_optional(static_cast<uint32_t>(
                                 std::strtoul(text.c_str(), nullptr, 16)));
}

// A number that does not fit would be another file's: so whatever is not what
// TextOf writes is refused.
bool ParseLine(const std::string& text, RunLine* line) {
  std::istringstream fields(text);
  std::string crc;
  unsigned harms = 0;
  fields >> crc >> line->number >> harms;
  line->harms = Harms::OfBits(harms);
  line->data = ParseStamp(&fields);
  line->index = ParseStamp(&fields);
  line->index_crc = ParseCrc(&fields).value_or(0);
  line->old_filter = ParseCrc(&fields);
  line->new_filter = ParseCrc(&fields);
  fields.get();
  std::getline(fields, line->prefix);
  return WithCrc(TextOf(*line)) == text;
}

// ---- The folder ----

std::string Absolute(const std::string& folder) {
  std::string path = fs::absolute(folder).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

void MakeFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    FailAt(folder, "cannot make the folder");
  }
}

std::string OwnerAndMode(const struct stat& status) {
  char mode[16];
  std::snprintf(mode, sizeof(mode), "%04o",
                static_cast<unsigned>(status.st_mode & 07777));
  return "belongs to " + NameOfUser(status.st_uid) + " and has the mode " +
         mode;
}

// Returns why others than this user and root could change what is in a folder
// or file, or "".
std::string WhyNotTrusted(const struct stat& status,
                          const std::string& command) {
  if (S_ISLNK(status.st_mode)) {
    return "is a link; give the path that it leads to";
  }
  if (status.st_uid != 0 && status.st_uid != geteuid()) {
    const bool may_be_that_user = geteuid() == 0 && !command.empty();
    return "belongs to " + NameOfUser(status.st_uid) +
           (may_be_that_user
                ? "; run: " + FilterdbAs(status.st_uid, status.st_gid) + " " +
                      command
                : ", who could change what is in it; give a folder below those "
                  "of root and " +
                      NameOfUser(geteuid()));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    const bool is_for_all = (status.st_mode & S_ISVTX) != 0;  // As /tmp is.
    return OwnerAndMode(status) +
           ", so that others could change what is in it; " +
           (is_for_all ? "" : "chmod go-w it, or ") +
           "give a folder elsewhere, not below /tmp";
  }
  return "";
}

bool HoldsSstables(const std::string& folder) {
  std::error_code ignored;
  const auto names = NamesIn(
      folder,
      [](const std::string& name) {
        return ParseComponentName(name).has_value();
      },
      &ignored);
  return !names.empty();
}

// A node may take filters that are among SSTables for its own.
void CheckIsOutside(const std::string& folder,
                    const std::vector<std::string>& paths) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(folder, ignored);
  for (fs::path above = real; above.has_relative_path();
       above = above.parent_path()) {
    for (const std::string& path : paths) {
      if (fs::equivalent(above, path, ignored)) {
        Fail(folder + ": is below PATH; give a folder outside");
      }
    }
    if (HoldsSstables(above.string())) {
      Fail(folder + ": is below " + above.string() +
           ", which holds SSTables; give a folder outside the data "
           "directories");
    }
  }
}

}  // namespace

// Begins at the root: nobody else can replace what is in a folder that was
// found good.
void CheckTrusted(const std::string& path, const std::string& command) {
  for (size_t end = 1;; end = std::min(path.find('/', end + 1), path.size())) {
    const std::string above = path.substr(0, end);
    struct stat status;
    if (lstat(above.c_str(), &status) != 0) {
      FailAt(above, "cannot open");
    }
    const bool is_last = end == path.size();
    const std::string why = WhyNotTrusted(status, is_last ? command : "");
    if (!why.empty()) {
      Fail(above + ": " + why);
    }
    if (is_last) {
      return;
    }
  }
}

void CopyListed(const std::string& from, uint32_t crc, int to,
                const std::string& to_path) {
  const FileDescriptor fd(OpenForReading(from));
  uint32_t copied = 0;
  bool is_written = true;
  if (fd.get() < 0 || !ReadInPieces(
                          fd.get(),
                          [&](const char* data, size_t size) {
                            is_written = to < 0 || WriteAll(to, data, size);
                            return is_written;
                          },
                          &copied)) {
    FailAt(is_written ? from : to_path,
           is_written ? "cannot read" : "cannot write");
  }
  if (copied != crc) {
    Fail(from + ": is not the file that the list of the run names");
  }
  struct stat status;
  if (to >= 0 && fstat(fd.get(), &status) == 0) {
    const timespec times[] = {{0, UTIME_OMIT}, status.st_mtim};
    if (futimens(to, times) != 0) {
      FailAt(to_path, "cannot write");
    }
  }
}

std::unique_ptr<RunFolder> RunFolder::ForMend(
    const std::string& folder, const std::vector<std::string>& paths) {
  const std::string path = Absolute(folder);
  CheckIsOutside(path, paths);
  if (!NameExists(path)) {
    CheckTrusted(fs::path(path).parent_path().string(), "");
    MakeFolder(path);
  }
  CheckTrusted(path, "mend --run=" + path + " …");
  struct stat status;
  if (access(path.c_str(), W_OK | X_OK) != 0 &&
      stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    Fail(path + ": " + OwnerAndMode(status) +
         ", so you cannot write there; give a folder of your own");
  }
  std::error_code ignored;
  if (!NameExists(path + "/list") && !fs::is_empty(path, ignored)) {
    Fail(path + ": is not empty, and not the folder of a run; give a new one");
  }
  MakeFolder(path + "/new");
  MakeFolder(path + "/old");
  if (!fs::is_empty(path + "/old", ignored)) {
    Fail(path + ": was installed, or begun to be, which 'filterdb install " +
         path + "' finishes; for a new run, give a new folder");
  }
  return std::unique_ptr<RunFolder>(new RunFolder(path, /*for_mend=*/true));
}

std::unique_ptr<RunFolder> RunFolder::ForInstall(const std::string& folder,
                                                 const std::string& flags) {
  const std::string path = Absolute(folder);
  const std::string command = "install " + path + flags;
  CheckTrusted(path, command);
  if (!NameExists(path + "/list")) {
    Fail(path + ": has no list; give the folder of a run (mend --run)");
  }
  CheckTrusted(path + "/list", command);
  return std::unique_ptr<RunFolder>(new RunFolder(path, /*for_mend=*/false));
}

// Two runs at once would take each other's temporary files away.
RunFolder::RunFolder(const std::string& path, bool for_mend)
    : path_(path),
      list_(open(
          (path + "/list").c_str(),
          O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (for_mend ? O_CREAT : 0),
          0600)) {
  if (list_.get() < 0) {
    FailAt(path_ + "/list", "cannot open");
  }
  if (flock(list_.get(), LOCK_EX | LOCK_NB) != 0) {
    FailAt(path_ + "/list", "another filterdb works with this folder");
  }
  std::string content;
  std::string error;
  if (!ReadRegularFile(list_.get(), path_ + "/list", kMaxListSize, &content,
                       &error)) {
    Fail(error);
  }
  // A killed run may leave the beginning of a line, even of the first one.
  const size_t end = content.rfind('\n') + 1;
  const std::string first = content.substr(0, sizeof(kFormat) - 1);
  if (end == 0 && for_mend && std::string(kFormat).rfind(first, 0) == 0) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    content = kFormat + std::to_string(now.tv_sec) + " " +
              std::to_string(now.tv_nsec) + "\n";
  } else {
    content.resize(end);
  }
  Parse(content);
  if (for_mend && ftruncate(list_.get(), static_cast<off_t>(end)) != 0) {
    FailAt(path_ + "/list", "cannot cut the last line off");
  }
  if (end == 0) {
    Write(content);
  }
}

void RunFolder::Write(const std::string& text) const {
  if (!WriteAll(list_.get(), text.data(), text.size())) {
    FailAt(path_ + "/list", "cannot write");
  }
}

void RunFolder::Parse(const std::string& content) {
  std::istringstream lines(content);
  std::string text;
  std::getline(lines, text);
  if (text == kFormatOfOldBackups) {
    Fail(path_ +
         ": the backup of a mend by an earlier filterdb, which alone "
         "puts it back (mend --undo); its filters are below it, under "
         "their paths");
  }
  if (text.rfind(kFormat, 0) != 0) {
    Fail(path_ + "/list: is not the list of a run of this filterdb");
  }
  suffix_ = text.substr(sizeof(kFormat) - 1);
  std::replace(suffix_.begin(), suffix_.end(), ' ', '-');
  suffix_ = std::string(kTemporarySuffix) + "." + suffix_;
  while (std::getline(lines, text)) {
    RunLine line;
    if (!ParseLine(text, &line)) {
      Fail(path_ + "/list: is damaged: " + text);
    }
    next_number_ = std::max<uint64_t>(next_number_, line.number + 1);
    lines_[line.prefix] = line;
  }
}

void RunFolder::Append(const RunLine& line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Write(WithCrc(TextOf(line)) + "\n");
}

// Keeps the old filter by a hard link, which costs no space. Another file
// system, or a kernel that protects links of other users, needs a copy.
void RunFolder::KeepOld(const RunLine& line, const std::string& filter) const {
  if (!line.old_filter) {
    return;
  }
  MakeFolder(path_ + "/old");
  const std::string kept = OldPath(line);
  std::string ignored_error;
  if (CrcOfFile(kept, &ignored_error) == line.old_filter) {
    return;  // It was kept by an install that was killed.
  }
  unlink(kept.c_str());
  if (link(filter.c_str(), kept.c_str()) == 0) {
    return;
  }
  const FileDescriptor fd(
      open(kept.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
           0600));
  if (fd.get() < 0) {
    FailAt(kept, "cannot create");
  }
  CopyListed(filter, *line.old_filter, fd.get(), kept);
}

void RunFolder::Sync() const {
  if (syncfs(list_.get()) != 0) {
    FailAt(path_, "cannot sync");
  }
}

}  // namespace cassandra_bloom::tools
